import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { innerPath } from './inner-path.ts'
import type { JsonSchema, ObjectSchema } from './json-schema.ts'
import { readMembersOf } from './read-members.ts'
import type { ReadContext, SchemaLocation } from './read-context.ts'

const COUNTS = { minProperties: 'count', maxProperties: 'count' } as const

/** Converts an object schema. */
export function readObject(schema: JsonObject, location: SchemaLocation, context: ReadContext): ObjectSchema {
  const { properties } = schema
  if (properties !== undefined && !isJsonObject(properties))
    context.relax(location.path, 'properties', 'it is no map of schemas')
  const read = (value: Json, keyword: string, name?: string): JsonSchema => {
    const path = innerPath(location.path, keyword, name)
    return context.read(value, location.isForeign === true ? { path, isForeign: true } : { path })
  }
  return {
    type: 'object',
    ...(isJsonObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, value]) => [name, read(value, 'properties', name)]),
          ),
        }
      : {}),
    ...required(schema, location, context),
    ...readAdditional(schema, (value) => read(value, 'additionalProperties')),
    ...readMembersOf(schema, COUNTS, { location, context }),
  }
}

function required(
  { required: names }: JsonObject,
  { path }: SchemaLocation,
  context: ReadContext,
): Pick<ObjectSchema, 'required'> {
  if (names === undefined) return {}
  const listed: readonly Json[] = Array.isArray(names) ? (names as readonly Json[]) : [names]
  const texts = listed.filter((name) => typeof name === 'string')
  if (listed !== names || texts.length < listed.length)
    context.relax(path, 'required', 'it is no list of names')
  return listed === names ? { required: [...new Set(texts)] } : {}
}

/**
 * Converts `additionalProperties`. With `patternProperties`, which the union does not support, any additional
 * property is accepted.
 */
function readAdditional(
  { additionalProperties: rest, patternProperties }: JsonObject,
  read: (value: Json) => JsonSchema,
): Pick<ObjectSchema, 'additionalProperties'> {
  if (rest === undefined || patternProperties !== undefined) return {}
  if (typeof rest === 'boolean') return { additionalProperties: rest }
  const schema = read(rest)
  // generators write `{}` to allow anything
  return Object.keys(schema).length === 0 ? {} : { additionalProperties: schema }
}
