import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'

/** Keywords whose value is one schema, a list of schemas, or a map of schemas. */
const ONE = [
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
] as const
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const MAPS = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'] as const

/** One schema inside another: where it stands as a JSON pointer without its keywords, `/address/city`; the root is empty. */
export interface PlacedSchema {
  readonly schema: JsonObject
  readonly path: string
}

/** Every schema in a schema, the root first. References are not followed. */
export function* schemasIn(schema: JsonObject, path = ''): Generator<PlacedSchema> {
  yield { schema, path }
  for (const [inner, at] of innerSchemas(schema, path)) yield* schemasIn(inner, at)
}

/** The schema with every schema in it changed, the inner ones first. `change` must not edit what it gets. */
export function mapSchema(
  schema: JsonObject,
  change: (placed: PlacedSchema) => JsonObject,
  path = '',
): JsonObject {
  const inner = (value: Json, at: string): Json =>
    isJsonObject(value) ? mapSchema(value, change, at) : value
  const mapped: Record<string, Json> = { ...schema }
  for (const key of ONE) if (isJsonObject(schema[key])) mapped[key] = inner(schema[key], placeOf(path, key))
  for (const key of LISTS) {
    const list = schema[key]
    if (Array.isArray(list)) mapped[key] = (list as readonly Json[]).map((each) => inner(each, path))
  }
  for (const key of MAPS) {
    const map = schema[key]
    if (!isJsonObject(map)) continue
    mapped[key] = Object.fromEntries(
      Object.entries(map).map(([name, each]) => [name, inner(each, placeOf(path, key, name))]),
    )
  }
  return change({ schema: mapped, path })
}

function* innerSchemas(schema: JsonObject, path: string): Generator<readonly [JsonObject, string]> {
  for (const key of ONE) if (isJsonObject(schema[key])) yield [schema[key], placeOf(path, key)]
  for (const key of LISTS) {
    const list = schema[key]
    if (!Array.isArray(list)) continue
    for (const each of list as readonly Json[]) if (isJsonObject(each)) yield [each, path]
  }
  for (const key of MAPS) {
    const map = schema[key]
    if (!isJsonObject(map)) continue
    for (const [name, each] of Object.entries(map))
      if (isJsonObject(each)) yield [each, placeOf(path, key, name)]
  }
}

function placeOf(path: string, key: string, name?: string): string {
  if (key === 'properties') return `${path}/${name ?? ''}`
  if (key === 'items' || key === 'contains') return `${path}/*`
  return name === undefined ? path : `${path}/${key}/${name}`
}
