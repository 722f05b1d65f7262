import { createLinearPatterns, type LinearPattern } from '@troupe/tools'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'

/** Expected arguments by name: a value, or `{equals}`, `{contains}` or `{regex}`. Other arguments may have any value. */
export type ArgumentMatchers = Readonly<Record<string, Json>>

const MATCHER_KEYS: ReadonlySet<string> = new Set(['equals', 'contains', 'regex'])

/** Returns true if every expected argument matches. */
export function matchesArguments(expected: ArgumentMatchers, args: JsonObject): boolean {
  return Object.entries(expected).every(
    ([name, matcher]) => Object.hasOwn(args, name) && matchesValue(matcher, args[name]),
  )
}

/** Returns true if a value matches `{equals}`, `{contains}`, `{regex}`, or is equal to any other expectation. */
export function matchesValue(expected: Json, value: Json | undefined): boolean {
  const [key, operand] = matcherOf(expected)
  if (key === 'contains') return textOfValue(value).includes(textOfValue(operand))
  if (key === 'regex') return findPattern(textOfValue(operand))?.test(textOfValue(value)) === true
  return canonicalJson(value) === canonicalJson(operand)
}

function matcherOf(expected: Json): readonly [key: string, operand: Json] {
  if (!isJsonObject(expected)) return ['equals', expected]
  const [entry, ...others] = Object.entries(expected)
  return entry !== undefined && others.length === 0 && MATCHER_KEYS.has(entry[0])
    ? entry
    : ['equals', expected]
}

/** Returns text as it is, and any other value as JSON. */
export function textOfValue(value: Json | undefined): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Compiles a regular expression that runs in linear time; `undefined` if it is too long or not of that kind. */
export function findPattern(source: string): LinearPattern | undefined {
  return createLinearPatterns().get(source)
}

/** Returns the regular expressions in a value that cannot be used. */
export function invalidPatterns(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(invalidPatterns)
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === 'regex' && typeof member === 'string'
      ? findPattern(member) === undefined
        ? [member]
        : []
      : invalidPatterns(member),
  )
}
