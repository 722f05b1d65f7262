import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { badRequest, textOf, type Refusal } from './provider-api.ts'

const KEYWORDS = new Set(
  `type properties required additionalProperties items enum const anyOf $ref $defs definitions title description
  pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems $schema`.split(
    /\s+/u,
  ),
)

/**
 * Validates an output schema like OpenAI: the root must be an object; in strict mode objects are closed, all
 * properties required, and few keywords allowed.
 */
export function checkAnswerSchema(format: Json | undefined): Refusal | undefined {
  if (!isJsonObject(format)) return undefined
  const { name, schema, strict } = format
  if (!/^[a-zA-Z0-9_-]{1,64}$/u.test(textOf(name)))
    return badRequest("Invalid 'response_format.json_schema.name'.")
  if (!isJsonObject(schema))
    return badRequest("Missing required parameter: 'response_format.json_schema.schema'.")
  if (schema['type'] !== 'object')
    return refused(
      schemaOf(`schema must be a JSON Schema of 'type: "object"', got 'type: "${textOf(schema['type'])}"'`),
    )
  return strict === true ? checkStrict(schema, '()') : undefined
}

function checkStrict(schema: JsonObject, context: string): Refusal | undefined {
  const unknown = Object.keys(schema).find((key) => !KEYWORDS.has(key))
  if (unknown !== undefined) return refused(schemaOf(`In context=${context}, '${unknown}' is not permitted.`))
  const { properties } = schema
  if (schema['type'] === 'object' || properties !== undefined) {
    if (schema['additionalProperties'] !== false)
      return refused(
        schemaOf(`In context=${context}, 'additionalProperties' is required to be supplied and to be false.`),
      )
    const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
    const names = isJsonObject(properties) ? Object.keys(properties) : []
    const missing = names.find((name) => !required.includes(name))
    if (missing !== undefined)
      return refused(
        schemaOf(
          `In context=${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`,
        ),
      )
  }
  for (const [key, inner] of inside(schema)) {
    const refusal = checkStrict(inner, `${context.slice(0, -1)}'${key}')`)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function* inside(schema: JsonObject): Generator<readonly [string, JsonObject]> {
  for (const map of [schema['properties'], schema['$defs'], schema['definitions']])
    if (isJsonObject(map))
      for (const [key, each] of Object.entries(map)) if (isJsonObject(each)) yield [key, each]
  if (isJsonObject(schema['items'])) yield ['items', schema['items']]
  const choices: readonly Json[] = Array.isArray(schema['anyOf']) ? (schema['anyOf'] as readonly Json[]) : []
  for (const each of choices) if (isJsonObject(each)) yield ['anyOf', each]
}

function schemaOf(problem: string): string {
  return `Invalid schema for response_format 'response': ${problem}`
}

function refused(message: string): Refusal {
  return badRequest(message, { code: 'invalid_json_schema', param: 'response_format' })
}
