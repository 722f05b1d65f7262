import { isJsonObject, type JsonObject } from '@troupe/schema'
import { badRequest, type Refusal, textOf } from './provider-api.ts'

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
