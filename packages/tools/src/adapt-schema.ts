import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { LinearPatterns } from './linear-patterns.ts'
import { memberPlace, placeOf } from '@troupe/schema/json-schema'

/** A measured schema as draft 2020-12 for the compiler; the schema itself is left alone. Recursion is bounded by the measure. */
export function adaptSchema(schema: JsonObject, patterns: LinearPatterns): JsonObject {
  const members = new Map<string, Json>()
  for (const [keyword, value] of Object.entries(schema))
    members.set(keyword, adaptValue(keyword, value, patterns))
  // an asynchronous validator would answer with a promise, which is true
  members.delete('$async')
  // OpenAPI's keyword, which the compiler takes beside `type` only
  if (!members.has('type')) members.delete('nullable')
  dropUnsupportedPatterns(members, patterns)
  translateTuple(members)
  return Object.fromEntries(members)
}

function adaptValue(keyword: string, value: Json, patterns: LinearPatterns): Json {
  const adapt = (member: Json): Json =>
    memberPlace(member) === 'schema' && isJsonObject(member) ? adaptSchema(member, patterns) : member
  switch (placeOf(keyword, value)) {
    case 'schema':
      return adapt(value)
    case 'list':
      return Array.isArray(value) ? value.map(adapt) : value
    case 'map':
      return isJsonObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, adapt(member)]))
        : value
    default:
      return value
  }
}

/** Without its pattern it is not known which properties are additional: then any are allowed. */
function dropUnsupportedPatterns(members: Map<string, Json>, patterns: LinearPatterns): void {
  const properties = members.get('patternProperties')
  if (!isJsonObject(properties)) return
  const supported = Object.entries(properties).filter(([pattern]) => patterns.get(pattern) !== undefined)
  if (supported.length === Object.keys(properties).length) return
  members.set('patternProperties', Object.fromEntries(supported))
  members.delete('additionalProperties')
  members.delete('unevaluatedProperties')
}

/** Until draft 2019-09 a list of `items` was what is `prefixItems` now, and `additionalItems` was the rest. */
function translateTuple(members: Map<string, Json>): void {
  const items = members.get('items')
  if (!Array.isArray(items) || members.has('prefixItems')) return
  members.delete('items')
  if (items.length > 0) members.set('prefixItems', items)
  const rest = members.get('additionalItems')
  if (rest !== undefined) members.set('items', rest)
}
