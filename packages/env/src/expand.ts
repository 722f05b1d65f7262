import type { Overlay } from './overlay.ts'
import { parseTemplate, type Piece, type Variable } from './template.ts'

/** A value with its variables filled in, and the names that had neither a value nor a default: those stay as written. */
export interface Expanded<T> {
  readonly value: T
  readonly missing: readonly string[]
}

/** A variable that a value mentions. */
export interface MentionedVariable {
  readonly name: string
  /** True when the value can be expanded without it. */
  readonly hasDefault: boolean
}

/**
 * Fills in `${VAR}` and `${VAR:-default}` (C40). The default stands in for an unset or empty variable and may itself
 * hold variables; `$${` is a literal `${`. Single pass: what a variable holds is never expanded again.
 */
export function expandText(text: string, overlay: Overlay): Expanded<string> {
  const missing = new Set<string>()
  const value = fill(parseTemplate(text), { overlay, missing })
  return { value, missing: [...missing] }
}

/** {@link expandText} for every text in a nested value. Keys, functions and class instances stay as they are. */
export function expandValues<T>(value: T, overlay: Overlay): Expanded<T> {
  const missing = new Set<string>()
  const expanded = mapTexts(value, (text) => fill(parseTemplate(text), { overlay, missing }))
  return { value: expanded as T, missing: [...missing] }
}

/** The variables that a nested value mentions, in order of first mention. */
export function findVariables(value: unknown): readonly MentionedVariable[] {
  const found = new Map<string, boolean>()
  mapTexts(value, (text) => {
    note(parseTemplate(text), false, found)
    return text
  })
  return [...found].map(([name, hasDefault]) => ({ name, hasDefault }))
}

interface Filling {
  readonly overlay: Overlay
  readonly missing: Set<string>
}

function fill(pieces: readonly Piece[], filling: Filling): string {
  let text = ''
  for (const piece of pieces) text += typeof piece === 'string' ? piece : valueOf(piece, filling)
  return text
}

function valueOf(variable: Variable, filling: Filling): string {
  const value = filling.overlay.get(variable.name)
  if (variable.fallback !== undefined) return value || fill(variable.fallback, filling)
  if (value === undefined) filling.missing.add(variable.name)
  return value ?? variable.written
}

function note(pieces: readonly Piece[], optional: boolean, found: Map<string, boolean>): void {
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
  // fromEntries defines own properties, so a key such as `__proto__` stays a key
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]))
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
