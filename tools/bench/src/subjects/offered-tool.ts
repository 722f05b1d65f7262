import type { JsonObject } from '@troupe/schema'
import { z } from 'zod'

/** What the description of every offered tool says. */
export const OFFERED = 'Looks for entries and gives those that it finds.'

/** The name of the offered tool of that index. */
export function offeredName(index: number): string {
  return `offered_${index}`
}

/** A schema of common size; each tool has one of its own. */
export function offeredZod(): z.ZodObject {
  return z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()).optional() })
}

/** The same as JSON Schema. */
export function offeredJson(): JsonObject {
  return z.toJSONSchema(offeredZod()) as JsonObject
}
