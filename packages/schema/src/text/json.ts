/** A JSON value. All data that crosses a port, an event or a store is JSON. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** A value or a promise of it. Ports may return a value directly to save the hot path from waiting. */
export type MaybePromise<T> = T | Promise<T>

/** Returns true for a JSON object, not for `null` or a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns true if text is valid JSON. */
export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // truncated or not JSON
    return false
  }
}

/**
 * Returns an own property of a table, or `undefined`. Use it for names from models and files, because they
 * may be names of inherited properties.
 */
export function getOwn<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/**
 * Deepest nesting of objects and lists that a run accepts in JSON. Deeper values could overflow the stack of
 * recursive functions.
 */
export const MAX_JSON_DEPTH = 64

/**
 * Returns true if objects and lists are nested deeper than `maxDepth`, as in a cycle. Recurses at most `maxDepth`
 * levels.
 */
export function isJsonTooDeep(value: unknown, maxDepth: number = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (maxDepth === 0) return true
  if (Array.isArray(value))
    return value.some((item) => isCollection(item) && isJsonTooDeep(item, maxDepth - 1))
  for (const key in value) {
    const member = (value as Readonly<Record<string, unknown>>)[key]
    if (isCollection(member) && isJsonTooDeep(member, maxDepth - 1)) return true
  }
  return false
}

/** Avoids a call for scalars, which are most values. */
function isCollection(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/**
 * Returns true if the value parsed from `text` is nested too deeply. Skips the walk if the text is too short
 * for that.
 */
export function isJsonTextTooDeep(text: string, value: unknown, maxDepth: number = MAX_JSON_DEPTH): boolean {
  // each level takes two brackets
  return text.length > 2 * maxDepth && isJsonTooDeep(value, maxDepth)
}
