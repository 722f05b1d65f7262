import type { Json, JsonObject } from '../json.ts'
import type { JsonSchema } from './json-schema.ts'
import { readArray } from './read-array.ts'
import { readMembersOf } from './read-members.ts'
import { readObject } from './read-object.ts'
import type { ReadContext, SchemaLocation } from './read-context.ts'
import type { TypeName } from './type-name.ts'
import { namedValues, takesValues, valuesOfType } from './read-values.ts'

/** All types. `number` includes integers. */
const ALL_TYPES: readonly TypeName[] = ['string', 'number', 'boolean', 'null', 'array', 'object']

const NUMBERS = 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(' ')
/** Assertions that apply to values of one type. */
const KEYWORDS: Readonly<Record<TypeName, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern'],
  number: NUMBERS,
  integer: NUMBERS,
  boolean: [],
  null: [],
  array: 'items prefixItems additionalItems minItems maxItems uniqueItems'.split(' '),
  object: 'properties required additionalProperties minProperties maxProperties'.split(' '),
}

/**
 * Converts the part of a schema that depends on types: one schema, an `anyOf` of several, or none if it does
 * not mention types.
 */
export function readTyped(
  schema: JsonObject,
  { types, location }: { readonly types: readonly TypeName[] | undefined; readonly location: SchemaLocation },
  context: ReadContext,
): readonly JsonSchema[] {
  const read = types ?? impliedTypes(schema, location)
  if (read === undefined) return []
  const values = takesValues(types) ? namedValues(schema) : {}
  const options = read.flatMap((type) => {
    const named = valuesOfType(values, type)
    return named === undefined
      ? []
      : [{ ...readType(schema, { type, location }, context), ...named } as JsonSchema]
  })
  const [only, ...others] = options
  if (only === undefined) return [{ not: {} }]
  return others.length === 0 ? [only] : [{ anyOf: options }]
}

/**
 * Returns the types of a schema without `type`. Keywords such as `properties` then apply only to values of
 * their type, and all other values match.
 */
function impliedTypes(
  schema: JsonObject,
  { types = ALL_TYPES }: SchemaLocation,
): readonly TypeName[] | undefined {
  const isImplied = types.some((type) => KEYWORDS[type].some((keyword) => Object.hasOwn(schema, keyword)))
  return isImplied ? types : undefined
}

function readType(
  schema: JsonObject,
  { type, location }: { readonly type: TypeName; readonly location: SchemaLocation },
  context: ReadContext,
): JsonSchema {
  const members = (checks: Parameters<typeof readMembersOf>[1]): JsonObject =>
    readMembersOf(schema, checks, { location, context })
  switch (type) {
    case 'array':
      return readArray(schema, location, context)
    case 'object':
      return readObject(schema, location, context)
    case 'string':
      return { type, ...members(STRING) }
    case 'number':
    case 'integer':
      return { type, ...readNumericMembers(schema, members) }
    default:
      return { type }
  }
}

const isText = (value: Json): boolean => typeof value === 'string'
const isNumber = (value: Json): boolean => typeof value === 'number'
const STRING = { minLength: 'count', maxLength: 'count', pattern: isText, format: isText } as const
const NUMERIC = {
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value: Json): boolean => typeof value === 'number' && value > 0,
} as const

/** In draft 4, `exclusiveMinimum: true` made `minimum` exclusive. */
function readNumericMembers(
  schema: JsonObject,
  members: (checks: Parameters<typeof readMembersOf>[1]) => JsonObject,
): JsonObject {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema
  if (typeof above !== 'boolean' && typeof below !== 'boolean') return members(NUMERIC)
  const { exclusiveMinimum: _above, exclusiveMaximum: _below, ...checks } = NUMERIC
  const { minimum, maximum, ...rest } = members(checks)
  return {
    ...rest,
    ...(minimum === undefined ? {} : { [above === true ? 'exclusiveMinimum' : 'minimum']: minimum }),
    ...(maximum === undefined ? {} : { [below === true ? 'exclusiveMaximum' : 'maximum']: maximum }),
  }
}
