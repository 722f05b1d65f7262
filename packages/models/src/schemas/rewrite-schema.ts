import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { SchemaRelaxation, LocatedSchema } from '@troupe/schema/json-schema'
import type { SchemaTarget } from './schema-target.ts'

/** Parts of a schema that were removed or are not enforced. */
export interface ConversionNotes {
  readonly relaxations: SchemaRelaxation[]
  readonly unenforced: SchemaRelaxation[]
}

/** Rewrites one schema for a target. Its inner schemas are already rewritten. */
export function rewriteSchema(
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
    if (!isKept && !PROSE.has(keyword)) note(keyword, 'nothing may stand beside $ref')
    return isKept
  })
  return Object.fromEntries(kept)
}

function closeObject(schema: JsonObject): JsonObject {
  const { properties }: { readonly properties?: Json } = schema
  return isJsonObject(properties) ? { ...schema, additionalProperties: false } : schema
}
