import { agentFieldsSchema, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { z } from 'zod'
import { KEY_NOTES } from './key-notes.ts'

/**
 * Returns the JSON Schema (draft 2020-12) of a card, for editors. Values that only code can provide are left
 * out.
 */
export function cardJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(agentFieldsSchema, {
    io: 'input',
    unrepresentable: 'any',
  }) as unknown as JsonObject
  const { properties, ...rest } = tidy(schema) as JsonObject
  return {
    ...rest,
    title: 'Troupe agent card',
    description: 'The front matter of an agent card, or a card in YAML or JSON.',
    properties: describe(isJsonObject(properties) ? properties : {}),
  }
}

function describe(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => {
      const note = KEY_NOTES.get(key)?.note
      return [key, isJsonObject(schema) && note !== undefined ? { ...schema, description: note } : schema]
    }),
  )
}

/**
 * Removes `{}` alternatives, which stand for functions and the like, and `anyOf` around a single alternative.
 */
function tidy(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(tidy)
  if (!isJsonObject(schema)) return schema
  const tidied = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, tidy(value)]))
  const { anyOf, ...rest } = tidied
  if (!Array.isArray(anyOf)) return tidied
  const options = (anyOf as readonly Json[]).filter((option) => !isEmpty(option))
  const [only] = options
  return options.length === 1 && isJsonObject(only) ? { ...rest, ...only } : { ...rest, anyOf: options }
}

function isEmpty(option: Json): boolean {
  return isJsonObject(option) && Object.keys(option).length === 0
}
