import { isJsonObject, type JsonObject } from '@troupe/schema'
import { z } from 'zod'

/**
 * Schema of an object in a request body. Its members are not validated, because they come from parsed JSON
 * and a schema that walks large objects is slow.
 */
export const jsonObject: z.ZodType<JsonObject, JsonObject> = z
  .custom<JsonObject>(isJsonObject, 'Invalid input: expected object')
  .meta({ type: 'object', additionalProperties: {} })
