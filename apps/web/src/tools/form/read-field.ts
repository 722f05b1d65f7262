import type { Json, JsonObject } from '@troupe/schema'

/** The value that a text in a form says; what is no value of the type stays text, and is a problem. Nothing written is no value. */
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
    // half written
    return text
  }
}
