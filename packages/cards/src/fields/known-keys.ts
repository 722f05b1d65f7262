import { getOwn, isJsonObject, type Json } from '@troupe/schema'
import { cardJsonSchema } from './card-json-schema.ts'
import type { FieldPath } from './field-path.ts'

let schema: Json | undefined

/**
 * Returns the keys allowed in the mapping at a path; empty if authors choose the keys. Used only for
 * messages, because the first call takes some ms.
 */
export function knownKeys(path: FieldPath): readonly string[] {
  schema ??= cardJsonSchema()
  return path.reduce<readonly Json[]>(enterAll, [schema]).flatMap(propertyNames)
}

function enterAll(schemas: readonly Json[], step: string | number): readonly Json[] {
  return schemas.flatMap((option) => enter(option, step)).flatMap(alternatives)
}

function enter(schema: Json, step: string | number): readonly Json[] {
  if (!isJsonObject(schema)) return []
  if (typeof step === 'number') return schema['items'] === undefined ? [] : [schema['items']]
  const properties = schema['properties']
  const property = isJsonObject(properties) ? getOwn(properties, step) : undefined
  const found = property ?? schema['additionalProperties']
  return found === undefined ? [] : [found]
}

function alternatives(schema: Json): readonly Json[] {
  const options = isJsonObject(schema) ? schema['anyOf'] : undefined
  return Array.isArray(options) ? (options as readonly Json[]) : [schema]
}

function propertyNames(schema: Json): readonly string[] {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined
  return isJsonObject(properties) ? Object.keys(properties) : []
}
