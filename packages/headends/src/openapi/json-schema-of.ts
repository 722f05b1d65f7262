import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { z } from 'zod'

/** Converts the input of a zod schema to JSON Schema 2020-12, so that the document matches the validation. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const written = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' })
  const { $schema: _dialect, $defs: _definitions, ...rest } = written
  return withoutReferences(rest as JsonObject) as JsonObject
}

/**
 * Removes references, which would not resolve in the surrounding document. Only "any JSON" refers to itself,
 * and an empty schema means the same.
 */
function withoutReferences(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutReferences)
  if (!isJsonObject(value)) return value
  if (typeof value['$ref'] === 'string') return {}
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutReferences(part)]))
}

/** Converts the keys of an object schema to query parameters. */
export function queryParameters(schema: z.ZodType): readonly JsonObject[] {
  const { properties, required } = jsonSchemaOf(schema)
  const needed = Array.isArray(required) ? required : []
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: needed.includes(name),
    schema: property,
  }))
}
