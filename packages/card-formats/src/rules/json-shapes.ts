import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'

export function isText(value: Json | undefined): value is string {
  return typeof value === 'string'
}

/** Returns the value if it is a mapping, else an empty mapping. */
export function mappingOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** Converts a single value to text. Returns `otherwise` for lists, mappings and missing values. */
export function textOf(value: Json | undefined, otherwise = ''): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : otherwise
}
