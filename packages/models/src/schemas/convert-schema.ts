import type { JsonObject } from '@troupe/schema'
import { mapSchema, measureSchema, type SchemaRelaxation } from '@troupe/schema/json-schema'
import { plainRoot } from './plain-root.ts'
import { rewriteSchema, type ConversionNotes } from './rewrite-schema.ts'
import { SCHEMA_TARGETS, type SchemaTargetName } from './schema-target.ts'

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
