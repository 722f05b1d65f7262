import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { badRequest, textOf, type Refusal } from './provider-api.ts'

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/u

/** Validates the name of a tool like OpenAI. `param` is its path in the request. */
export function checkToolName(name: unknown, param: string): Refusal | undefined {
  if (typeof name === 'string' && TOOL_NAME.test(name)) return undefined
  return badRequest(
    `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]{1,64}$'.`,
    { code: 'invalid_value', param },
  )
}

/** Validates the name and the parameters of a tool like OpenAI. */
export function checkFunction(tool: JsonObject, param: string): Refusal | undefined {
  const name = checkToolName(tool['name'], `${param}.name`)
  if (name !== undefined) return name
  const schema = tool['parameters']
  if (schema === undefined) return undefined
  const problem = schemaProblem(schema)
  if (problem === undefined) return undefined
  return badRequest(`Invalid schema for function '${textOf(tool['name'])}': ${problem}`, {
    code: 'invalid_function_parameters',
    param: `${param}.parameters`,
  })
}

/** Validates the number of tools like OpenAI. */
export function checkToolCount(tools: unknown): Refusal | undefined {
  if (!Array.isArray(tools) || tools.length <= 128) return undefined
  return badRequest(
    `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${tools.length} instead.`,
    { code: 'array_above_max_length', param: 'tools' },
  )
}

function schemaProblem(schema: unknown): string | undefined {
  if (!isJsonObject(schema) || schema['type'] !== 'object') {
    const type = isJsonObject(schema) ? textOf(schema['type'] ?? 'None') : 'None'
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.`
  }
  return isJsonObject(schema['properties']) ? undefined : 'In context=(), object schema missing properties.'
}

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
