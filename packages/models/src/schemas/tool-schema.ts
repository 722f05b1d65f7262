import type { JsonObject } from '@troupe/schema'
import { convertSchema, type ConvertedSchema } from './convert-schema.ts'
import { toolTarget, type SchemaTargetName } from './schema-target.ts'

/** Converted schemas by target. Cached, because every request contains the tools. */
const KNOWN = new Map<SchemaTargetName, WeakMap<JsonObject, ConvertedSchema>>()

/**
 * Returns the input schema of a tool as sent to a provider. Returns the same object for providers without
 * known rules.
 */
export function toolSchema(provider: string, schema: JsonObject): ConvertedSchema {
  const target = toolTarget(provider)
  if (target === undefined) return { schema, relaxations: [], unenforced: [] }
  const known = KNOWN.get(target) ?? new WeakMap<JsonObject, ConvertedSchema>()
  KNOWN.set(target, known)
  const converted = known.get(schema) ?? convertSchema(target, schema)
  known.set(schema, converted)
  return converted
}
