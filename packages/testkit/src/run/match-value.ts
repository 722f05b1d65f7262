import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '@troupe/schema'

/** A test of a text, such as a `RegExp`. `toString` names it in messages. */
export interface TextPattern {
  /** Returns true if the text matches. */
  test(text: string): boolean
  /** Returns the pattern as shown in messages. */
  toString(): string
}

/**
 * A value that an argument must match. A pattern tests a text. A mapping needs only the keys that it names. Any
 * other value must be equal.
 */
export type ValuePattern =
  | TextPattern
  | string
  | number
  | boolean
  | null
  | readonly ValuePattern[]
  | { readonly [key: string]: ValuePattern }

/** Returns true if the value matches. */
export function matchesValue(pattern: ValuePattern, value: unknown): boolean {
  if (isTextPattern(pattern)) return typeof value === 'string' && matchesText(pattern, value)
  if (Array.isArray(pattern)) {
    const items = pattern as readonly ValuePattern[]
    return (
      Array.isArray(value) &&
      items.length === value.length &&
      items.every((item, index) => matchesValue(item, value[index]))
    )
  }
  if (typeof pattern !== 'object' || pattern === null) return isDeepStrictEqual(pattern, value)
  return (
    isJsonObject(value) &&
    Object.entries(pattern).every(
      ([key, item]) => Object.hasOwn(value, key) && matchesValue(item, value[key]),
    )
  )
}

/** Returns true for a pattern, which has a method `test`. */
export function isTextPattern(value: unknown): value is TextPattern {
  return typeof value === 'object' && value !== null && 'test' in value && typeof value.test === 'function'
}

/** Tests a text. Ignores the position that a global `RegExp` keeps between calls. */
export function matchesText(pattern: TextPattern, text: string): boolean {
  return pattern instanceof RegExp ? text.search(pattern) !== -1 : pattern.test(text)
}

/** Returns the pattern as text for messages. */
export function patternText(pattern: ValuePattern): string {
  if (isTextPattern(pattern)) return String(pattern)
  if (Array.isArray(pattern)) return `[${(pattern as readonly ValuePattern[]).map(patternText).join(', ')}]`
  if (typeof pattern !== 'object' || pattern === null) return JSON.stringify(pattern)
  const members = Object.entries(pattern).map(([key, item]) => `${JSON.stringify(key)}: ${patternText(item)}`)
  return `{${members.join(', ')}}`
}
