import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { Loosened } from '@troupe/schema/json-schema'
import { mergeObjects } from './merge-objects.ts'
import type { SchemaTarget } from './schema-target.ts'

/** Keywords that are not allowed at the root of tool parameters. */
const NOT_THERE = ['$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not', 'if', 'then', 'else'] as const

/** Returns the schema with a plain object root. Properties of alternatives are merged into it. */
export function plainRoot(schema: JsonObject, target: SchemaTarget, loosened: Loosened[]): JsonObject {
  if (target.plainRoot !== true) return schema
  const found = NOT_THERE.filter((keyword) => Object.hasOwn(schema, keyword))
  const why = 'at the root only an object with properties may stand'
  loosened.push(...found.map((keyword) => ({ path: '', keyword, why })))
  const merged = found.length === 0 ? schema : { ...without(schema, found), ...mergeObjects(schema) }
  const { properties } = merged
  const plain: JsonObject = {
    ...merged,
    type: 'object',
    properties: isJsonObject(properties) ? properties : {},
  }
  return target.propertyNames === undefined ? plain : nameable(plain, target.propertyNames, loosened)
}

function without(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)))
}

/**
 * Removes optional properties with names the API does not allow. Required ones remain and the API rejects
 * them.
 */
function nameable(schema: JsonObject, names: RegExp, loosened: Loosened[]): JsonObject {
  const properties = schema['properties'] as JsonObject
  const required: readonly Json[] = Array.isArray(schema['required']) ? schema['required'] : []
  const odd = Object.keys(properties).filter((name) => !names.test(name) && !required.includes(name))
  if (odd.length === 0) return schema
  loosened.push(
    ...odd.map((name) => ({ path: `/${name}`, keyword: 'properties', why: 'it takes no such name' })),
  )
  return { ...schema, properties: without(properties, odd) }
}
