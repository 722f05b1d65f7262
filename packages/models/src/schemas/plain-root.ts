import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { SchemaRelaxation } from '@troupe/schema/json-schema'
import { mergeObjects } from './merge-objects.ts'
import type { SchemaTarget } from './schema-target.ts'

/** Keywords that are not allowed at the root of tool parameters. */
const FORBIDDEN_AT_ROOT = [
  '$ref',
  'anyOf',
  'oneOf',
  'allOf',
  'enum',
  'const',
  'not',
  'if',
  'then',
  'else',
] as const

/** Returns the schema with a plain object root. Properties of alternatives are merged into it. */
export function plainRoot(
  schema: JsonObject,
  target: SchemaTarget,
  relaxations: SchemaRelaxation[],
): JsonObject {
  if (target.plainRoot !== true) return schema
  const found = FORBIDDEN_AT_ROOT.filter((keyword) => Object.hasOwn(schema, keyword))
  const why = 'at the root only an object with properties may stand'
  relaxations.push(...found.map((keyword) => ({ path: '', keyword, why })))
  const merged = found.length === 0 ? schema : { ...without(schema, found), ...mergeObjects(schema) }
  const { properties } = merged
  const plain: JsonObject = {
    ...merged,
    type: 'object',
    properties: isJsonObject(properties) ? properties : {},
  }
  return target.propertyNames === undefined
    ? plain
    : withAllowedNames(plain, target.propertyNames, relaxations)
}

function without(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)))
}

/**
 * Removes optional properties with names the API does not allow. Required ones remain and the API rejects
 * them.
 */
function withAllowedNames(schema: JsonObject, names: RegExp, relaxations: SchemaRelaxation[]): JsonObject {
  const properties = schema['properties'] as JsonObject
  const required: readonly Json[] = Array.isArray(schema['required']) ? schema['required'] : []
  const odd = Object.keys(properties).filter((name) => !names.test(name) && !required.includes(name))
  if (odd.length === 0) return schema
  relaxations.push(
    ...odd.map((name) => ({ path: `/${name}`, keyword: 'properties', why: 'it takes no such name' })),
  )
  return { ...schema, properties: without(properties, odd) }
}
