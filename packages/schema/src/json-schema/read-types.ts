import type { Json, JsonObject } from '../json.ts'
import type { ReadContext, SchemaLocation } from './read-context.ts'
import { isTypeName, type TypeName } from './type-name.ts'

/**
 * Returns the types that a schema allows; `undefined` if it does not restrict them. Supports OpenAPI's
 * `nullable` beside `type`.
 */
export function readTypes(
  { type, nullable }: JsonObject,
  { path }: SchemaLocation,
  context: ReadContext,
): readonly TypeName[] | undefined {
  if (type === undefined) return undefined
  const listed: readonly Json[] = Array.isArray(type) ? (type as readonly Json[]) : [type]
  const types = new Set(listed.filter(isTypeName))
  if (types.size === 0 || listed.some((each) => !isTypeName(each))) {
    context.relax(path, 'type', 'it is no type of JSON Schema')
    return undefined
  }
  if (types.has('number')) types.delete('integer')
  if (nullable === true) types.add('null')
  return [...types]
}
