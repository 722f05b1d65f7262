import type { Json, JsonObject } from '@troupe/schema'

/**
 * Parses a text field. A text that does not match the type is returned as a string, which is reported as a
 * problem. Returns `undefined` if the text is empty.
 */
export function readField(text: string, { type }: JsonObject): Json | undefined {
  if (text === '') return undefined
  if (type === 'string') return text
  if (type === 'number' || type === 'integer') {
    const value = Number(text)
    return text.trim() === '' || !Number.isFinite(value) ? text : value
  }
  try {
    return JSON.parse(text) as Json
  } catch {
    // Incomplete input.
    return text
  }
}
