import type { JsonObject } from '@troupe/schema'
import { z } from 'zod'
import { configSchema } from './config-schema.ts'

/** Returns the JSON Schema (draft 2020-12) of troupe.json, for editors. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' })
  return { ...(schema as unknown as JsonObject), title: 'Troupe configuration' }
}
