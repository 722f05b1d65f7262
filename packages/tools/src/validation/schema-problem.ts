import { errorMessage, type JsonObject } from '@troupe/schema'
import { compileSchema } from './compile-schema.ts'
import { readJsonSchema } from '@troupe/schema/json-schema'

/**
 * Returns the reason why values cannot be validated against a schema; `undefined` if they can. Lets callers
 * reject an output schema before the model is called.
 */
export function schemaProblem(schema: JsonObject): string | undefined {
  const reading = readJsonSchema(schema)
  if (!reading.ok) return reading.problem
  try {
    compileSchema(schema)
    return undefined
  } catch (thrown) {
    return errorMessage(thrown)
  }
}
