import { isJsonObject, isJsonTextTooDeep, type JsonObject } from '@troupe/schema'

/**
 * Parses the text from its first to its last brace as a JSON object. Returns `undefined` if that fails or the
 * object is nested too deeply.
 */
export function readJson(text: string): JsonObject | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start === -1 || end < start) return undefined
  try {
    const json = text.slice(start, end + 1)
    const value: unknown = JSON.parse(json)
    return isJsonObject(value) && !isJsonTextTooDeep(json, value) ? value : undefined
  } catch {
    // Not JSON: the caller handles it.
    return undefined
  }
}
