import type { Json } from '../json.ts'

/** Type names of JSON Schema. */
export const TYPE_NAMES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'] as const
/** See {@link TYPE_NAMES}. */
export type TypeName = (typeof TYPE_NAMES)[number]

/** Returns true for the name of a type. */
export function isTypeName(value: Json): value is TypeName {
  return (TYPE_NAMES as readonly Json[]).includes(value)
}

/** Returns true if a value has the type. */
export function isOfType(value: Json, type: TypeName): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
