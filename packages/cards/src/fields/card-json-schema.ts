import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { AGENT_KEY_TABLE, agentFieldsSchema } from '@troupe/schema/agent-keys'
import { z } from 'zod'
import type { FieldPath } from '../card/problem.ts'

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
      const note = AGENT_KEY_TABLE.get(key)?.note
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
