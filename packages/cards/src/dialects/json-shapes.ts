import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'

/** True for text. */
export function isText(value: Json | undefined): value is string {
  return typeof value === 'string'
}

/** A mapping, or an empty one for anything else. */
export function mappingOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** A single value as text, or the other text for everything else. */
export function textOf(value: Json | undefined, otherwise = ''): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : otherwise
}
