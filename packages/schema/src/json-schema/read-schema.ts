import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import type { JsonSchema } from './json-schema.ts'
import type { ReadContext, ReadPlace } from './read-context.ts'
import { readTypes } from './read-types.ts'
import { readTyped } from './read-typed.ts'
import { readValues } from './read-values.ts'

/** Unsupported assertions, each with the value that has no effect. */
const LOST: readonly (readonly [string, unknown])[] = [
  ['if', undefined],
  ['contains', undefined],
  ['unevaluatedItems', true],
  ['patternProperties', undefined],
  ['propertyNames', true],
  ['dependentRequired', undefined],
  ['dependentSchemas', undefined],
  ['dependencies', undefined],
  ['unevaluatedProperties', true],
  ['$dynamicRef', undefined],
  ['$recursiveRef', undefined],
]

/** Converts one schema. Recursion is bounded because `measureSchema` has checked the root. */
export function readSchema(value: Json, place: ReadPlace, context: ReadContext): JsonSchema {
  if (value === true) return {}
  if (value === false) return { not: {} }
  if (!isJsonObject(value) || !context.spend(value)) {
    context.loosen(place.path, 'schema', isJsonObject(value) ? 'it is too large' : 'it is none')
    return {}
  }
  for (const [keyword, says] of LOST) {
    if (Object.hasOwn(value, keyword) && value[keyword] !== says)
      context.loosen(place.path, keyword, 'there is no simple form of it')
  }
  const here = withinId(value, place)
  const types = readTypes(value, here, context)
  const inside = { ...here, ...(types === undefined ? {} : { types }) }
  const parts = [
    ...readTyped(value, { types, place: here }, context),
    ...readValues(value, { types, place: here }, context),
    ...readCombined(value, inside, context),
  ]
  return annotated(joined(parts), value)
}

function withinId(schema: JsonObject, place: ReadPlace): ReadPlace {
  const { $id } = schema
  if (place.path === '' || typeof $id !== 'string' || $id.startsWith('#')) return place
  return { ...place, isForeign: true }
}

function joined(parts: readonly JsonSchema[]): JsonSchema {
  const [only = {}, ...others] = parts
  if (others.length === 0) return only
  return { allOf: parts.flatMap((part) => ('allOf' in part ? part.allOf : [part])) }
}

function readCombined(schema: JsonObject, place: ReadPlace, context: ReadContext): readonly JsonSchema[] {
  const { anyOf, allOf } = schema
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    if (Object.hasOwn(schema, keyword) && !isFullList(schema[keyword]))
      context.loosen(place.path, keyword, 'it is no list of schemas')
  }
  return [
    ...readReference(schema, place, context),
    ...(isFullList(anyOf) ? [{ anyOf: readMembers(anyOf, place, context) }] : []),
    ...readOneOf(schema, place, context),
    ...(isFullList(allOf) ? [{ allOf: readMembers(allOf, place, context) }] : []),
    ...readNot(schema, place, context),
  ]
}

function readMembers(
  members: readonly Json[],
  place: ReadPlace,
  context: ReadContext,
): readonly JsonSchema[] {
  return members.map((member) => context.read(member, place))
}

function readReference({ $ref }: JsonObject, place: ReadPlace, context: ReadContext): readonly JsonSchema[] {
  if ($ref === undefined) return []
  const found =
    typeof $ref !== 'string' || place.isForeign === true
      ? { why: 'it is looked up elsewhere' }
      : context.references.resolve($ref)
  if ('$ref' in found) return [found]
  context.loosen(place.path, '$ref', found.why)
  return []
}

function readOneOf({ oneOf }: JsonObject, place: ReadPlace, context: ReadContext): readonly JsonSchema[] {
  if (!isFullList(oneOf)) return []
  const before = context.count()
  const members = readMembers(oneOf, place, context)
  const isExact = context.count() === before && (context.keepsOneOf || !members.some(refers))
  if (isExact) return [{ oneOf: members }]
  context.loosen(place.path, 'oneOf', 'what it is one of takes more than before')
  return [{ anyOf: members }]
}

/** Returns true if the schema contains a reference. */
function refers(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return '$ref' in schema || Object.values(schema).some(refers)
}

function readNot({ not }: JsonObject, place: ReadPlace, context: ReadContext): readonly JsonSchema[] {
  if (not === undefined || not === false) return []
  if (not === true || (isJsonObject(not) && Object.keys(not).length === 0)) return [{ not: {} }]
  context.loosen(place.path, 'not', 'there is no simple form of it')
  return []
}

function isFullList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0
}

/** Adds title, description, default and examples. */
function annotated(
  schema: JsonSchema,
  { title, description, default: preset, examples }: JsonObject,
): JsonSchema {
  const { type } = schema
  return {
    ...schema,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(preset !== undefined && hasType(preset, type) ? { default: preset } : {}),
    ...(type !== 'boolean' && type !== 'null' && isFullList(examples)
      ? { examples: examples.filter((example) => hasType(example, type)) }
      : {}),
  } as JsonSchema
}

function hasType(value: Json, type: JsonSchema['type']): boolean {
  switch (type) {
    case undefined:
      return true
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isJsonObject(value)
    default:
      return typeof value === (type === 'integer' ? 'number' : type)
  }
}
