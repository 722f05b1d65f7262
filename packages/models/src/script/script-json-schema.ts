import type { JsonObject } from '@troupe/schema'
import { z } from 'zod'
import { scriptSchema } from './script-schema.ts'

/** Returns the JSON Schema (draft 2020-12) of model scripts, for editors. */
export function scriptJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(scriptSchema, { io: 'input', unrepresentable: 'any' })
  return { ...(schema as unknown as JsonObject), title: 'Troupe model script' }
}
