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
