import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { innerPath } from './inner-path.ts'
import type { JsonSchema, ObjectSchema } from './json-schema.ts'
import { readMembersOf } from './read-members.ts'
import type { ReadContext, ReadPlace } from './read-context.ts'

const COUNTS = { minProperties: 'count', maxProperties: 'count' } as const

/** Converts an object schema. */
export function readObject(schema: JsonObject, place: ReadPlace, context: ReadContext): ObjectSchema {
  const { properties } = schema
  if (properties !== undefined && !isJsonObject(properties))
    context.loosen(place.path, 'properties', 'it is no map of schemas')
  const read = (value: Json, keyword: string, name?: string): JsonSchema => {
    const path = innerPath(place.path, keyword, name)
    return context.read(value, place.isForeign === true ? { path, isForeign: true } : { path })
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
    ...required(schema, place, context),
    ...additional(schema, (value) => read(value, 'additionalProperties')),
    ...readMembersOf(schema, COUNTS, { place, context }),
  }
}

function required(
  { required: names }: JsonObject,
  { path }: ReadPlace,
  context: ReadContext,
): Pick<ObjectSchema, 'required'> {
  if (names === undefined) return {}
  const said: readonly Json[] = Array.isArray(names) ? (names as readonly Json[]) : [names]
  const texts = said.filter((name) => typeof name === 'string')
  if (said !== names || texts.length < said.length) context.loosen(path, 'required', 'it is no list of names')
  return said === names ? { required: [...new Set(texts)] } : {}
}

/**
 * Converts `additionalProperties`. With `patternProperties`, which the union does not support, any additional
 * property is accepted.
 */
function additional(
  { additionalProperties: rest, patternProperties }: JsonObject,
  read: (value: Json) => JsonSchema,
): Pick<ObjectSchema, 'additionalProperties'> {
  if (rest === undefined || patternProperties !== undefined) return {}
  if (typeof rest === 'boolean') return { additionalProperties: rest }
  const schema = read(rest)
  // generators write `{}` to allow anything
  return Object.keys(schema).length === 0 ? {} : { additionalProperties: schema }
}
