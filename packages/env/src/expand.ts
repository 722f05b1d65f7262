import type { Overlay } from './overlay.ts'
import { failure, type Failure } from '@troupe/schema'
import { listFirst } from '@troupe/schema/text'

/** An expanded value, and the names of variables that stayed as written: no value and no default. */
export interface Expanded<T> {
  readonly value: T
  readonly missing: readonly string[]
}

/** A variable referenced in a value. */
export interface MentionedVariable {
  readonly name: string
  /** True if every reference has a default, so that the value can be expanded without the variable. */
  readonly hasDefault: boolean
}

/**
 * Expands `${VAR}` and `${VAR:-default}`. The default applies if the variable is unset or empty, and may
 * itself contain variables. `$${` is a literal `${`. Values of variables are not expanded again.
 */
export function expandText(text: string, overlay: Overlay): Expanded<string> {
  const missing = new Set<string>()
  const value = fill(parseTemplate(text), { overlay, missing })
  return { value, missing: [...missing] }
}

/** Applies {@link expandText} to every string in a value. Keys and class instances are unchanged. */
export function expandValues<T>(value: T, overlay: Overlay): Expanded<T> {
  const missing = new Set<string>()
  const expanded = mapTexts(value, (text) => fill(parseTemplate(text), { overlay, missing }))
  return { value: expanded as T, missing: [...missing] }
}

/** Lists the variables referenced in a nested value, in order of first occurrence. */
export function findVariables(value: unknown): readonly MentionedVariable[] {
  const found = new Map<string, boolean>()
  mapTexts(value, (text) => {
    note(parseTemplate(text), false, found)
    return text
  })
  return [...found].map(([name, hasDefault]) => ({ name, hasDefault }))
}

interface ExpansionContext {
  readonly overlay: Overlay
  readonly missing: Set<string>
}

function fill(pieces: readonly TextPiece[], filling: ExpansionContext): string {
  let text = ''
  for (const piece of pieces) text += typeof piece === 'string' ? piece : valueOf(piece, filling)
  return text
}

function valueOf(variable: Variable, filling: ExpansionContext): string {
  const value = filling.overlay.get(variable.name)
  if (variable.fallback !== undefined) return value || fill(variable.fallback, filling)
  if (value === undefined) filling.missing.add(variable.name)
  return value ?? variable.written
}

function note(pieces: readonly TextPiece[], optional: boolean, found: Map<string, boolean>): void {
  for (const piece of pieces) {
    if (typeof piece === 'string') continue
    const hasDefault = optional || piece.fallback !== undefined
    found.set(piece.name, hasDefault && (found.get(piece.name) ?? true))
    note(piece.fallback ?? [], true, found)
  }
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (!isPlainObject(value)) return value
  // `fromEntries` defines own properties, so a key such as `__proto__` stays a key
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]))
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Part of a text with variables: literal text or a variable. */
type TextPiece = string | Variable

/** `${name}` or `${name:-fallback}`. `written` is the original text. */
interface Variable {
  readonly name: string
  readonly written: string
  readonly fallback?: readonly TextPiece[]
}

/** Maximum nesting of `${A:-${B:-…}}`. Deeper references are literal text. */
const MAX_NESTING = 16
const OPENING = /\$\{(?<name>[A-Za-z_][A-Za-z0-9_]*)(?<tail>\}|:-)/uy
const SPECIAL = /\$(?=\$?\{)|\}/gu

interface OpenVariable {
  readonly name: string
  /** Offset of `${`. `inside` is the offset of the fallback. */
  readonly start: number
  readonly inside: number
  readonly pieces: TextPiece[]
}

/**
 * Parses a text into pieces, in linear time. `$${` is a literal `${`. Anything but a closed `${NAME}` or
 * `${NAME:-…}` is literal text.
 */
function parseTemplate(text: string): readonly TextPiece[] {
  const root: TextPiece[] = []
  const open: OpenVariable[] = []
  let at = 0
  while (at < text.length) {
    const step = readStep(text, at, open)
    if (step.piece !== undefined) (open.at(-1)?.pieces ?? root).push(step.piece)
    at = step.end
  }
  return closeAll(text, root, open)
}

/** Reads the next piece at `at`, which may open or close a frame. */
function readStep(
  text: string,
  at: number,
  open: OpenVariable[],
): { readonly piece?: TextPiece; readonly end: number } {
  if (text.startsWith('$${', at)) return { piece: '${', end: at + 3 }
  if (text[at] === '}' && open.length > 0) return closeFrame(text, at, open)
  OPENING.lastIndex = at
  const match = OPENING.exec(text)
  const name = match?.groups?.['name']
  if (match === null || name === undefined) return readLiteral(text, at)
  const end = at + match[0].length
  if (match.groups?.['tail'] === '}') return { piece: { name, written: match[0] }, end }
  if (open.length === MAX_NESTING) return { piece: match[0], end }
  open.push({ name, start: at, inside: end, pieces: [] })
  return { end }
}

function readLiteral(text: string, at: number): { readonly piece: TextPiece; readonly end: number } {
  SPECIAL.lastIndex = at + 1
  const end = SPECIAL.exec(text)?.index ?? text.length
  return { piece: text.slice(at, end), end }
}

function closeFrame(
  text: string,
  at: number,
  open: OpenVariable[],
): { readonly piece?: TextPiece; readonly end: number } {
  const frame = open.pop()
  const end = at + 1
  if (frame === undefined) return { end }
  return { piece: { name: frame.name, written: text.slice(frame.start, end), fallback: frame.pieces }, end }
}

/** Converts frames without a closing brace to literal text. */
function closeAll(
  text: string,
  root: readonly TextPiece[],
  open: readonly OpenVariable[],
): readonly TextPiece[] {
  return [...root, ...open.flatMap((frame) => [text.slice(frame.start, frame.inside), ...frame.pieces])]
}

/** Origin of the variables of `--env`. It is only searched if the app has such an option. */
const OVERRIDE = 'override'
/** Display names of layer origins. A file is shown by its path. */
const SOURCE_NAMES: ReadonlyMap<string, string> = new Map([
  [OVERRIDE, '--env'],
  ['process', 'the shell'],
])
/** Origin shown if an embedder passed no environment. */
export const ENV_OPTION = 'the `env` option'
const SIDECAR = 'troupe.env beside the card'

/** Creates the `env_missing` failure, which lists every missing name and the first files that can define it. */
export function missingVariables(
  names: readonly string[],
  options: { readonly searched: readonly string[] },
): Failure {
  const missing = [...new Set(names)]
  const it = missing.length === 1 ? 'it' : 'them'
  const files = options.searched.filter((source) => !isNamedSource(source))
  const where = files.length === 0 ? SIDECAR : listFirst(files, { separator: ' or ' })
  const isEmbedded = options.searched.includes(ENV_OPTION)
  const shell = isEmbedded
    ? `pass \`env: process.env\` if the shell defines ${it}, or define ${it}`
    : `define ${it} in the shell or`
  const option = options.searched.includes(OVERRIDE) ? `pass ${envOptions(missing)}` : `pass ${it} in \`env\``
  return failure(
    'env_missing',
    `Missing: ${missing.join(', ')}; ${shell} in ${where}`,
    isEmbedded
      ? 'Pass `env: process.env` to use the variables of the shell.'
      : `Define ${it} in one of these places, or ${option}.`,
  )
}

/** Maximum number of variables for which the fix has an option to copy. */
const MAX_OPTIONS = 3

function envOptions(names: readonly string[]): string {
  if (names.length > MAX_OPTIONS) return '--env NAME=VALUE for each'
  return names.map((name) => `--env ${name}=VALUE`).join(' ')
}

function isNamedSource(source: string): boolean {
  return source === ENV_OPTION || SOURCE_NAMES.has(source) || [...SOURCE_NAMES.values()].includes(source)
}
