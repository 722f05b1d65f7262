import { errorMessage, type JsonObject } from '@troupe/schema'
import { compileSchema } from './compile-schema.ts'
import { readJsonSchema } from '@troupe/schema/json-schema'

/** Why values cannot be checked against a schema; undefined: they can. For a schema that is asked for before anything is spent on an answer. */
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
