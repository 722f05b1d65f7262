import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import {
  mapSchema,
  measureSchema,
  type LocatedSchema,
  type SchemaRelaxation,
} from '@troupe/schema/json-schema'
import { plainRoot } from './plain-root.ts'
import { SCHEMA_TARGETS, type SchemaTarget, type SchemaTargetName } from './schema-target.ts'

/** A schema converted for an API. */
export interface ConvertedSchema {
  /** The same object if nothing had to change. */
  readonly schema: JsonObject
  /** Parts that are not sent to the API. Values are validated against the original schema afterwards. */
  readonly relaxations: readonly SchemaRelaxation[]
  /** Parts that the API accepts but does not enforce. */
  readonly unenforced: readonly SchemaRelaxation[]
}

/**
 * Converts a schema for an API. Deterministic, does not modify its input and never throws. An invalid or too
 * large schema is returned unchanged.
 */
export function convertSchema(name: SchemaTargetName, schema: JsonObject): ConvertedSchema {
  if (!measureSchema(schema).ok) return { schema, relaxations: [], unenforced: [] }
  const target = SCHEMA_TARGETS[name]
  const notes: ConversionNotes = { relaxations: [], unenforced: [] }
  const root = plainRoot(schema, target, notes.relaxations)
  const converted = mapSchema(root, (placed) => rewriteSchema(placed, target, notes))
  const isSame = JSON.stringify(converted) === JSON.stringify(schema)
  return {
    schema: isSame ? schema : converted,
    relaxations: inOrder(notes.relaxations),
    unenforced: inOrder(notes.unenforced),
  }
}

/** Sorts by depth and removes duplicates. */
function inOrder(relaxations: readonly SchemaRelaxation[]): readonly SchemaRelaxation[] {
  const known = new Map(relaxations.map((one) => [JSON.stringify([one.path, one.keyword]), one]))
  return [...known.values()].toSorted((one, other) => depth(one) - depth(other))
}

function depth({ path }: SchemaRelaxation): number {
  return path.split('/').length
}

/** Parts of a schema that were removed or are not enforced. */
interface ConversionNotes {
  readonly relaxations: SchemaRelaxation[]
  readonly unenforced: SchemaRelaxation[]
}

/** Rewrites one schema for a target. Its inner schemas are already rewritten. */
function rewriteSchema(
  { schema, path }: LocatedSchema,
  target: SchemaTarget,
  notes: ConversionNotes,
): JsonObject {
  const note = (keyword: string, why: string): void => void notes.relaxations.push({ path, keyword, why })
  const ignored = Object.keys(schema).filter((keyword) => target.ignored.has(keyword))
  notes.unenforced.push(...ignored.map((keyword) => ({ path, keyword, why: 'it is not enforced' })))
  const steps = [
    target.newDraft === true ? toNewDraft : undefined,
    (given: JsonObject) => withoutRefused(given, target, note),
    target.constAsEnum === true ? constToEnum : undefined,
    target.anyOfOnly === true ? oneOfToAnyOf : undefined,
    target.noRefSiblings === true ? (given: JsonObject) => removeRefSiblings(given, note) : undefined,
    target.closed === true ? closeObject : undefined,
  ]
  return steps.reduce((given, step) => step?.(given) ?? given, schema)
}

type LoosenedReporter = (keyword: string, why: string) => void

function withoutRefused(schema: JsonObject, { refused }: SchemaTarget, note: LoosenedReporter): JsonObject {
  const kept = Object.entries(schema).filter(([keyword]) => {
    const why = refused.get(keyword)
    if (why !== undefined) note(keyword, why)
    return why === undefined
  })
  return kept.length === Object.keys(schema).length ? schema : Object.fromEntries(kept)
}

/** Converts keywords of older drafts to draft 2020-12. */
function toNewDraft(schema: JsonObject): JsonObject {
  return exclusive(exclusive(positions(schema), 'exclusiveMinimum', 'minimum'), 'exclusiveMaximum', 'maximum')
}

function positions(schema: JsonObject): JsonObject {
  const { items, additionalItems, ...rest } = schema
  if (!Array.isArray(items) || rest['prefixItems'] !== undefined) return schema
  const after = additionalItems === undefined ? {} : { items: additionalItems }
  return { ...rest, ...(items.length === 0 ? {} : { prefixItems: items }), ...after }
}

function exclusive(schema: JsonObject, keyword: string, limit: string): JsonObject {
  const { [keyword]: isExclusive, [limit]: value, ...rest } = schema
  if (typeof isExclusive !== 'boolean') return schema
  return value === undefined ? rest : { ...rest, [isExclusive ? keyword : limit]: value }
}

function constToEnum(schema: JsonObject): JsonObject {
  const { const: value, ...rest } = schema
  if (value === undefined || rest['enum'] !== undefined) return schema
  return { ...rest, enum: [value] }
}

/** Replaces `oneOf` with `anyOf`. */
function oneOfToAnyOf(schema: JsonObject): JsonObject {
  const { oneOf, ...rest } = schema
  return oneOf === undefined ? schema : { ...rest, anyOf: oneOf }
}

const PROSE: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples'])

function removeRefSiblings(schema: JsonObject, note: LoosenedReporter): JsonObject {
  if (typeof schema['$ref'] !== 'string') return schema
  const kept = Object.entries(schema).filter(([keyword]) => {
    const isKept = keyword.startsWith('$')
    if (!isKept && !PROSE.has(keyword)) note(keyword, '$ref allows no other keywords')
    return isKept
  })
  return Object.fromEntries(kept)
}

function closeObject(schema: JsonObject): JsonObject {
  const { properties }: { readonly properties?: Json } = schema
  return isJsonObject(properties) ? { ...schema, additionalProperties: false } : schema
}
