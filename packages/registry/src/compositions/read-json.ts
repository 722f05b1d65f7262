import { isJsonObject, type JsonObject } from '@troupe/schema'

/** The JSON object of an answer: all of it, or from its first brace to its last; undefined when there is none. */
export function readJson(text: string): JsonObject | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start === -1 || end < start) return undefined
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1))
    return isJsonObject(value) ? value : undefined
  } catch {
    // not JSON: the caller decides what that means
    return undefined
  }
}
