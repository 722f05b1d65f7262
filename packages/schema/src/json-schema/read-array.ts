import type { Json, JsonObject } from '../json.ts'
import { innerPath } from './inner-path.ts'
import type { ArraySchema, JsonSchema } from './json-schema.ts'
import { readMembersOf } from './read-members.ts'
import type { ReadContext, SchemaLocation } from './read-context.ts'

const COUNTS = {
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: (value: Json): boolean => typeof value === 'boolean',
} as const

/** Converts an array schema. `prefixItems` of draft 2020-12 becomes the older form, a list in `items`. */
export function readArray(schema: JsonObject, location: SchemaLocation, context: ReadContext): ArraySchema {
  const { items, prefixItems, additionalItems } = schema
  const read = (value: Json): JsonSchema =>
    context.read(value, { ...withoutTypes(location), path: innerPath(location.path, 'items') })
  const counts = readMembersOf(schema, COUNTS, { location, context })
  const [positions, rest] = isList(prefixItems) ? [prefixItems, items] : [items, additionalItems]
  if (!isList(positions)) return { type: 'array', items: read(positions ?? true), ...counts }
  if (positions.length === 0)
    return { type: 'array', items: read(isList(rest) ? true : (rest ?? true)), ...counts }
  return {
    type: 'array',
    items: positions.map(read),
    ...(rest === undefined || isList(rest) ? {} : { additionalItems: readRest(rest, read) }),
    ...counts,
  }
}

/** Drops the known types: they apply to the array, not to its items. */
function withoutTypes({ isForeign }: SchemaLocation): Omit<SchemaLocation, 'path'> {
  return isForeign === undefined ? {} : { isForeign }
}

function readRest(rest: Json, read: (value: Json) => JsonSchema): boolean | JsonSchema {
  return typeof rest === 'boolean' ? rest : read(rest)
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}
