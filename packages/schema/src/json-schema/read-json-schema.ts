import { isJsonObject, type Json } from '../json.ts'
import { endlessReference } from './endless-reference.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Loosened } from './loosened.ts'
import { measureSchema } from './measure-schema.ts'
import type { ReadContext } from './read-context.ts'
import { readSchema } from './read-schema.ts'
import { createReferences } from './references.ts'

/** Schemas that one reading may make: references into the middle of others could make it read the same ones again and again. */
const MAX_SCHEMAS = 10_000
/** Members of lists in all schemas that are read: types, values and names. */
const MAX_LISTED = 200_000

/** A foreign JSON Schema in the form of the union, with what the union cannot say; or why nothing can be made of it. */
export type SchemaReading =
  | { readonly ok: true; readonly schema: JsonSchema; readonly loosened: readonly Loosened[] }
  | { readonly ok: false; readonly problem: string }

/**
 * Brings any JSON Schema (draft 2020-12, older ones as far as they agree, OpenAPI's `nullable`) into the form of the union. What fitted before
 * fits afterwards. Sizes and depths are limited, nothing is fetched, and it never throws.
 */
export function readJsonSchema(value: unknown): SchemaReading {
  const measure = measureSchema(value)
  if (!measure.ok) return measure
  const root = value as Json
  const exact = readOnce(root, { keepsOneOf: true })
  // "exactly one" of schemas that take more than before would take less: what refers to those becomes "at least one"
  const { schema, loosened } = exact.loosened.length === 0 ? exact : readOnce(root, { keepsOneOf: false })
  const endless = endlessReference(schema)
  return endless === undefined
    ? { ok: true, schema, loosened }
    : { ok: false, problem: `${endless} refers to itself without end` }
}

function readOnce(
  root: Json,
  { keepsOneOf }: { readonly keepsOneOf: boolean },
): { readonly schema: JsonSchema; readonly loosened: readonly Loosened[] } {
  const loosened: Loosened[] = []
  const references = createReferences(isJsonObject(root) ? root : {})
  let schemas = 0
  let listed = 0
  const context: ReadContext = {
    read: (value, place) => readSchema(value, place, context),
    references,
    keepsOneOf,
    spend(schema) {
      schemas += 1
      for (const member of Object.values(schema)) if (Array.isArray(member)) listed += member.length
      return schemas <= MAX_SCHEMAS && listed <= MAX_LISTED
    },
    loosen: (path, keyword, why) => loosened.push({ path, keyword, why }),
    count: () => loosened.length,
  }
  const schema = readSchema(root, { path: '' }, context)
  const definitions: [string, JsonSchema][] = []
  for (let next = references.next(); next !== undefined; next = references.next()) {
    const { name, target } = next
    definitions.push([name, readSchema(target, { path: `/$defs/${name}` }, context)])
  }
  if (definitions.length === 0) return { schema, loosened }
  return { schema: { ...schema, $defs: Object.fromEntries(definitions) }, loosened }
}

/** True for a value that is in the form of the union as it stands. */
export function isJsonSchema(value: unknown): value is JsonSchema {
  const reading = readJsonSchema(value)
  return reading.ok && reading.loosened.length === 0 && isSame(reading.schema, value)
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (Array.isArray(one))
    return (
      Array.isArray(other) && one.length === other.length && one.every((each, i) => isSame(each, other[i]))
    )
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  )
}
