import { isJsonObject, type Json } from '../json.ts'
import { findEndlessReference } from './find-endless-reference.ts'
import type { JsonSchema } from './json-schema.ts'
import type { SchemaRelaxation } from './schema-relaxation.ts'
import { measureSchema } from './measure-schema.ts'
import type { ReadContext } from './read-context.ts'
import { readSchema } from './read-schema.ts'
import { createReferences } from './references.ts'

/**
 * Maximum number of schemas in one conversion. References into the middle of other schemas could otherwise
 * repeat the same ones many times.
 */
const MAX_SCHEMAS = 10_000
/** Maximum total length of the lists of types, values and names. */
const MAX_LISTED = 200_000

/** A converted schema with its relaxations, or the problem that prevents the conversion. */
export type SchemaReading =
  | { readonly ok: true; readonly schema: JsonSchema; readonly relaxations: readonly SchemaRelaxation[] }
  | { readonly ok: false; readonly problem: string }

/**
 * Converts any JSON Schema to the `JsonSchema` union: draft 2020-12, older drafts where they are compatible,
 * and OpenAPI's `nullable`. Values that matched before still match. Limits size and depth, fetches nothing
 * and never throws.
 */
export function readJsonSchema(value: unknown): SchemaReading {
  const measure = measureSchema(value)
  if (!measure.ok) return measure
  const root = value as Json
  const exact = readOnce(root, { keepsOneOf: true })
  // A `oneOf` over relaxed schemas would accept fewer values than before. References may lead to relaxed
  // schemas, so then read again and turn each `oneOf` with references into `anyOf`.
  const { schema, relaxations } =
    exact.relaxations.length === 0 ? exact : readOnce(root, { keepsOneOf: false })
  const endless = findEndlessReference(schema)
  return endless === undefined
    ? { ok: true, schema, relaxations }
    : { ok: false, problem: `${endless} refers to itself without end` }
}

function readOnce(
  root: Json,
  { keepsOneOf }: { readonly keepsOneOf: boolean },
): { readonly schema: JsonSchema; readonly relaxations: readonly SchemaRelaxation[] } {
  const relaxations: SchemaRelaxation[] = []
  const references = createReferences(isJsonObject(root) ? root : {})
  let schemas = 0
  let listed = 0
  const context: ReadContext = {
    read: (value, location) => readSchema(value, location, context),
    references,
    keepsOneOf,
    countWork(schema) {
      schemas += 1
      for (const member of Object.values(schema)) if (Array.isArray(member)) listed += member.length
      return schemas <= MAX_SCHEMAS && listed <= MAX_LISTED
    },
    relax: (path, keyword, why) => relaxations.push({ path, keyword, why }),
    relaxationCount: () => relaxations.length,
  }
  const schema = readSchema(root, { path: '' }, context)
  const definitions: [string, JsonSchema][] = []
  for (let next = references.next(); next !== undefined; next = references.next()) {
    const { name, target } = next
    definitions.push([name, readSchema(target, { path: `/$defs/${name}` }, context)])
  }
  if (definitions.length === 0) return { schema, relaxations }
  return { schema: { ...schema, $defs: Object.fromEntries(definitions) }, relaxations }
}

/** Returns true if a value already has the form of the `JsonSchema` union. */
export function isJsonSchema(value: unknown): value is JsonSchema {
  const reading = readJsonSchema(value)
  return reading.ok && reading.relaxations.length === 0 && isSame(reading.schema, value)
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
