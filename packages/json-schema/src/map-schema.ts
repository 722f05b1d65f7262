import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'

import { innerPath, keywordContentKind, memberContentKind } from './schema-keywords.ts'

/** A subschema and the path of its values: `/address/city`, `/tags/*`; empty for the root. */
export interface LocatedSchema {
  readonly schema: JsonObject
  readonly path: string
}

/**
 * Yields all subschemas of a JSON Schema of any form, the root first. Does not follow references. Recurses as
 * deep as the schema, so call `measureSchema` first.
 */
export function* schemasIn(schema: JsonObject, path = ''): Generator<LocatedSchema> {
  yield { schema, path }
  for (const [keyword, value] of Object.entries(schema)) {
    for (const [inner, at] of membersOf(keyword, value, path)) yield* schemasIn(inner, at)
  }
}

/** Returns the schemas directly below the keywords of a schema, except for those of `skipped` keywords. */
export function childSchemas(
  schema: JsonObject,
  skipped: ReadonlySet<string> = new Set(),
): readonly JsonObject[] {
  return Object.entries(schema)
    .filter(([keyword]) => !skipped.has(keyword))
    .flatMap(([keyword, value]) => membersOf(keyword, value, '').map(([inner]) => inner))
}

/**
 * Returns the schema with `change` applied to all subschemas, inner ones first. `change` must not mutate its
 * argument.
 */
export function mapSchema(
  schema: JsonObject,
  change: (located: LocatedSchema) => JsonObject,
  path = '',
): JsonObject {
  const members = Object.entries(schema).map(
    ([keyword, value]) => [keyword, mapMember(keyword, value, { change, path })] as const,
  )
  return change({ schema: Object.fromEntries(members), path })
}

function mapMember(
  keyword: string,
  value: Json,
  { change, path }: { readonly change: (located: LocatedSchema) => JsonObject; readonly path: string },
): Json {
  const inner = (member: Json, name?: string): Json =>
    isSchema(member) ? mapSchema(member, change, innerPath(path, keyword, name)) : member
  switch (keywordContentKind(keyword, value)) {
    case 'schema':
      return inner(value)
    case 'list':
      return isList(value) ? value.map((member) => inner(member)) : value
    case 'map':
      return isJsonObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member, name)]))
        : value
    default:
      return value
  }
}

function membersOf(keyword: string, value: Json, path: string): readonly (readonly [JsonObject, string])[] {
  const toLocated = (member: Json, name?: string): readonly (readonly [JsonObject, string])[] =>
    isSchema(member) ? [[member, innerPath(path, keyword, name)]] : []
  switch (keywordContentKind(keyword, value)) {
    case 'schema':
      return toLocated(value)
    case 'list':
      return isList(value) ? value.flatMap((member) => toLocated(member)) : []
    case 'map':
      return isJsonObject(value)
        ? Object.entries(value).flatMap(([name, member]) => toLocated(member, name))
        : []
    default:
      return []
  }
}

function isSchema(member: Json): member is JsonObject {
  return memberContentKind(member) === 'schema' && isJsonObject(member)
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
