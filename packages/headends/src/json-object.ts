import type { Json, JsonObject } from '@troupe/schema'
import { z } from 'zod'

/** Of what a JSON text holds every value is JSON: `z.json()` would walk through it to find that out, and make each schema that it is in a dear one. */
const json = z.unknown() as unknown as z.ZodType<Json, Json>

/** An object in the body of a request. */
export const jsonObject: z.ZodType<JsonObject, JsonObject> = z.record(z.string(), json)
