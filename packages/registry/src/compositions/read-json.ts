import { isJsonObject, isJsonTextTooDeep, type JsonObject } from '@troupe/schema'

/** The JSON object of an answer: all of it, or from its first brace to its last; undefined when there is none, or one that is nested too deep. */
export function readJson(text: string): JsonObject | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start === -1 || end < start) return undefined
  try {
    const json = text.slice(start, end + 1)
    const value: unknown = JSON.parse(json)
    return isJsonObject(value) && !isJsonTextTooDeep(json, value) ? value : undefined
  } catch {
    // not JSON: the caller decides what that means
    return undefined
  }
}
