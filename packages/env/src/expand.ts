import type { Overlay } from './overlay.ts'
import { parseTemplate, type TextPiece, type Variable } from './template.ts'

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
