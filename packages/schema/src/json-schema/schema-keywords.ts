/** Kind of value that a JSON Schema keyword has: one schema, a list or a map of schemas, or plain data. */
export type SchemaPlace = 'schema' | 'list' | 'map' | 'data'

const PLACES: ReadonlyMap<string, SchemaPlace> = new Map<string, SchemaPlace>([
  ...names('schema', 'additionalItems additionalProperties contains contentSchema else if items not'),
  ...names('schema', 'propertyNames then unevaluatedItems unevaluatedProperties'),
  ...names('list', 'allOf anyOf oneOf prefixItems'),
  ...names('map', '$defs definitions dependencies dependentSchemas patternProperties properties'),
])

/**
 * Returns the kind of value of a keyword. Unknown keywords hold data. Before draft 2020-12, `items` could be
 * a list.
 */
export function placeOf(keyword: string, value: unknown): SchemaPlace {
  if (keyword === 'items' && Array.isArray(value)) return 'list'
  return PLACES.get(keyword) ?? 'data'
}

/**
 * Returns the kind of a member in a list or map of schemas. In `dependencies` a member may also be a list of
 * property names.
 */
export function memberPlace(member: unknown): SchemaPlace {
  return Array.isArray(member) ? 'data' : 'schema'
}

function names(place: SchemaPlace, keywords: string): (readonly [string, SchemaPlace])[] {
  return keywords.split(' ').map((keyword) => [keyword, place] as const)
}
