import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import type { JsonSchema } from './json-schema.ts'
import type { ReadContext, SchemaLocation } from './read-context.ts'
import { readTypes } from './read-types.ts'
import { readTyped } from './read-typed.ts'
import { readValues } from './read-values.ts'

/** Unsupported assertions, each with the value that has no effect. */
const UNSUPPORTED_KEYWORDS: readonly (readonly [string, unknown])[] = [
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
export function readSchema(value: Json, location: SchemaLocation, context: ReadContext): JsonSchema {
  if (value === true) return {}
  if (value === false) return { not: {} }
  if (!isJsonObject(value) || !context.countWork(value)) {
    context.relax(location.path, 'schema', isJsonObject(value) ? 'it is too large' : 'it is none')
    return {}
  }
  for (const [keyword, neutralValue] of UNSUPPORTED_KEYWORDS) {
    if (Object.hasOwn(value, keyword) && value[keyword] !== neutralValue)
      context.relax(location.path, keyword, 'there is no simple form of it')
  }
  const here = withinId(value, location)
  const types = readTypes(value, here, context)
  const inside = { ...here, ...(types === undefined ? {} : { types }) }
  const parts = [
    ...readTyped(value, { types, location: here }, context),
    ...readValues(value, { types, location: here }, context),
    ...readCombined(value, inside, context),
  ]
  return withAnnotations(joinParts(parts), value)
}

function withinId(schema: JsonObject, location: SchemaLocation): SchemaLocation {
  const { $id } = schema
  if (location.path === '' || typeof $id !== 'string' || $id.startsWith('#')) return location
  return { ...location, isForeign: true }
}

function joinParts(parts: readonly JsonSchema[]): JsonSchema {
  const [only = {}, ...others] = parts
  if (others.length === 0) return only
  return { allOf: parts.flatMap((part) => ('allOf' in part ? part.allOf : [part])) }
}

function readCombined(
  schema: JsonObject,
  location: SchemaLocation,
  context: ReadContext,
): readonly JsonSchema[] {
  const { anyOf, allOf } = schema
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    if (Object.hasOwn(schema, keyword) && !isFullList(schema[keyword]))
      context.relax(location.path, keyword, 'it is no list of schemas')
  }
  return [
    ...readReference(schema, location, context),
    ...(isFullList(anyOf) ? [{ anyOf: readMembers(anyOf, location, context) }] : []),
    ...readOneOf(schema, location, context),
    ...(isFullList(allOf) ? [{ allOf: readMembers(allOf, location, context) }] : []),
    ...readNot(schema, location, context),
  ]
}

function readMembers(
  members: readonly Json[],
  location: SchemaLocation,
  context: ReadContext,
): readonly JsonSchema[] {
  return members.map((member) => context.read(member, location))
}

function readReference(
  { $ref }: JsonObject,
  location: SchemaLocation,
  context: ReadContext,
): readonly JsonSchema[] {
  if ($ref === undefined) return []
  const found =
    typeof $ref !== 'string' || location.isForeign === true
      ? { why: 'it is looked up elsewhere' }
      : context.references.resolve($ref)
  if ('$ref' in found) return [found]
  context.relax(location.path, '$ref', found.why)
  return []
}

function readOneOf(
  { oneOf }: JsonObject,
  location: SchemaLocation,
  context: ReadContext,
): readonly JsonSchema[] {
  if (!isFullList(oneOf)) return []
  const before = context.relaxationCount()
  const members = readMembers(oneOf, location, context)
  const isExact = context.relaxationCount() === before && (context.keepsOneOf || !members.some(hasReference))
  if (isExact) return [{ oneOf: members }]
  context.relax(location.path, 'oneOf', 'what it is one of takes more than before')
  return [{ anyOf: members }]
}

/** Returns true if the schema contains a reference. */
function hasReference(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return '$ref' in schema || Object.values(schema).some(hasReference)
}

function readNot({ not }: JsonObject, location: SchemaLocation, context: ReadContext): readonly JsonSchema[] {
  if (not === undefined || not === false) return []
  if (not === true || (isJsonObject(not) && Object.keys(not).length === 0)) return [{ not: {} }]
  context.relax(location.path, 'not', 'there is no simple form of it')
  return []
}

function isFullList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0
}

/** Adds title, description, default and examples. */
function withAnnotations(
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
