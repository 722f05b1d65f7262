import type { Json, JsonObject } from '../json.ts'
import type { ReadContext, ReadPlace } from './read-context.ts'
import { isTypeName, type TypeName } from './type-name.ts'

/**
 * Returns the types that a schema allows; `undefined` if it does not restrict them. Supports OpenAPI's
 * `nullable` beside `type`.
 */
export function readTypes(
  { type, nullable }: JsonObject,
  { path }: ReadPlace,
  context: ReadContext,
): readonly TypeName[] | undefined {
  if (type === undefined) return undefined
  const said: readonly Json[] = Array.isArray(type) ? (type as readonly Json[]) : [type]
  const types = new Set(said.filter(isTypeName))
  if (types.size === 0 || said.some((each) => !isTypeName(each))) {
    context.loosen(path, 'type', 'it is no type of JSON Schema')
    return undefined
  }
  if (types.has('number')) types.delete('integer')
  if (nullable === true) types.add('null')
  return [...types]
}
