/** A JSON value. Everything that crosses a port, an event or a store is one of these. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** A value or a promise of it: ports may answer at once and the hot path then does not wait. */
export type MaybePromise<T> = T | Promise<T>

/** True for a plain JSON object (not null, not a list). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for text that is JSON. */
export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // cut off, or never JSON
    return false
  }
}

/** The own property of a table, or undefined. Names that a model or a file supplies are looked up only through this. */
export function getOwn<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
