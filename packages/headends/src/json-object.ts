import { isJsonObject, type JsonObject } from '@troupe/schema'
import { z } from 'zod'

/** An object in the body of a request. Its members are JSON because the body is: a schema that walked through them would be slow for large objects. */
export const jsonObject: z.ZodType<JsonObject, JsonObject> = z
  .custom<JsonObject>(isJsonObject, 'Invalid input: expected object')
  .meta({ type: 'object', additionalProperties: {} })
