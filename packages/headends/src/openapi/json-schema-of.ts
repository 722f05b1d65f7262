import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { z } from 'zod'

/** What a zod schema takes, as JSON Schema 2020-12: the document says what is checked, because it is made of it. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const written = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' })
  const { $schema: _dialect, $defs: _definitions, ...rest } = written
  return withoutReferences(rest as JsonObject) as JsonObject
}

/** The one thing that refers to itself is "any JSON", which is what no schema says too; a reference would be lost in the document around it. */
function withoutReferences(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutReferences)
  if (!isJsonObject(value)) return value
  if (typeof value['$ref'] === 'string') return {}
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutReferences(part)]))
}

/** The keys of an object schema, as parameters of a query. */
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
