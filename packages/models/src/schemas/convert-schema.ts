import type { JsonObject } from '@troupe/schema'
import { mapSchema, measureSchema, type Loosened } from '@troupe/schema/json-schema'
import { plainRoot } from './plain-root.ts'
import { rewriteSchema, type ConversionNotes } from './rewrite-schema.ts'
import { SCHEMA_TARGETS, type SchemaTargetName } from './schema-target.ts'

/** A schema as an API takes it. */
export interface ConvertedSchema {
  /** The very same where nothing had to change. */
  readonly schema: JsonObject
  /** What the API is not told. Values are checked against the schema itself, here, once they are there. */
  readonly loosened: readonly Loosened[]
  /** What the API is told and does not hold the model to. */
  readonly unenforced: readonly Loosened[]
}

/** The schema in the words of an API. Equal for equal input; never edits its input, never throws: a schema that nothing could be checked against stays as it is. */
export function convertSchema(name: SchemaTargetName, schema: JsonObject): ConvertedSchema {
  if (!measureSchema(schema).ok) return { schema, loosened: [], unenforced: [] }
  const target = SCHEMA_TARGETS[name]
  const notes: ConversionNotes = { loosened: [], unenforced: [] }
  const root = plainRoot(schema, target, notes.loosened)
  const converted = mapSchema(root, (placed) => rewriteSchema(placed, target, notes))
  const isSame = JSON.stringify(converted) === JSON.stringify(schema)
  return {
    schema: isSame ? schema : converted,
    loosened: inOrder(notes.loosened),
    unenforced: inOrder(notes.unenforced),
  }
}

/** From the root inwards, and each thing once. */
function inOrder(loosened: readonly Loosened[]): readonly Loosened[] {
  const known = new Map(loosened.map((one) => [JSON.stringify([one.path, one.keyword]), one]))
  return [...known.values()].toSorted((one, other) => depth(one) - depth(other))
}

function depth({ path }: Loosened): number {
  return path.split('/').length
}
