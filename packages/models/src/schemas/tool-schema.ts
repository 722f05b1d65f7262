import type { JsonObject } from '@troupe/schema'
import { convertSchema, type ConvertedSchema } from './convert-schema.ts'
import { toolTarget, type SchemaTargetName } from './schema-target.ts'

/** What became of schemas, by target: tools are offered with every request. */
const KNOWN = new Map<SchemaTargetName, WeakMap<JsonObject, ConvertedSchema>>()

/** The input schema of a tool as a provider is offered it, on the wire and in every report; the very same for a provider of which nothing is known. */
export function toolSchema(provider: string, schema: JsonObject): ConvertedSchema {
  const target = toolTarget(provider)
  if (target === undefined) return { schema, loosened: [], unenforced: [] }
  const known = KNOWN.get(target) ?? new WeakMap<JsonObject, ConvertedSchema>()
  KNOWN.set(target, known)
  const converted = known.get(schema) ?? convertSchema(target, schema)
  known.set(schema, converted)
  return converted
}
