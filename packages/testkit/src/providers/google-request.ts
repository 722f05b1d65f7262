import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { badRequest, firstRefusal, objects, unknownField, type Refusal, textOf } from './provider-api.ts'
import type { FakeProviderOptions } from './fake-provider.ts'

const FIELDS = new Set(
  'contents tools toolConfig safetySettings systemInstruction generationConfig cachedContent serviceTier store'.split(
    ' ',
  ),
)
const SCHEMA_FIELDS = new Set(
  `type format title description nullable enum maxItems minItems properties required minProperties maxProperties
  minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum`.split(/\s+/u),
)
const FUNCTION_NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/u

/** Validates a request like the Gemini API. Returns `undefined` if it is valid. */
export function checkGenerateRequest(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  const contents = objects(body['contents'])
  return firstRefusal([
    () => checkFields(body, options),
    () => firstRefusal(objects(body['tools']).map((tool, index) => () => checkTool(tool, index))),
    () => firstRefusal(contents.map((content, index) => () => checkContent(content, index))),
    () => checkFunctionTurns(contents),
  ])
}

function checkFields(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  const unknown = unknownField(body, FIELDS, options)
  if (unknown !== undefined) {
    return badRequest(`Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`)
  }
  if (objects(body['contents']).length === 0)
    return badRequest('* GenerateContentRequest.contents: contents is not specified')
  return undefined
}

function checkTool(tool: JsonObject, index: number): Refusal | undefined {
  const declarations = objects(tool['functionDeclarations'])
  return firstRefusal(
    declarations.map((declaration, ordinal) => () => {
      const at = `tools[${index}].function_declarations[${ordinal}]`
      if (!FUNCTION_NAME.test(textOf(declaration['name']))) {
        return badRequest(
          `* GenerateContentRequest.${at}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`,
        )
      }
      const schema = declaration['parameters']
      return schema === undefined ? undefined : checkSchema(schema, `${at}.parameters`)
    }),
  )
}

function checkSchema(schema: Json | undefined, at: string): Refusal | undefined {
  if (!isJsonObject(schema)) return badRequest(`Invalid value at '${at}'`)
  const unknown = Object.keys(schema).find((key) => !SCHEMA_FIELDS.has(key))
  if (unknown !== undefined) {
    return badRequest(
      `Invalid JSON payload received. Unknown name "${unknown}" at '${at}': Cannot find field.`,
    )
  }
  const { type, properties, items } = schema
  if (textOf(type).toUpperCase() === 'OBJECT' && properties !== undefined) {
    const entries = isJsonObject(properties) ? Object.entries(properties) : []
    if (entries.length === 0)
      return badRequest(`* GenerateContentRequest.${at}.properties: should be non-empty for OBJECT type`)
    return firstRefusal(
      entries.map(
        ([key, value]) =>
          () =>
            checkSchema(value, `${at}.properties[${key}]`),
      ),
    )
  }
  if (textOf(type).toUpperCase() !== 'ARRAY') return undefined
  return items === undefined
    ? badRequest(`* GenerateContentRequest.${at}.items: missing field.`)
    : checkSchema(items, `${at}.items`)
}

function checkContent(content: JsonObject, index: number): Refusal | undefined {
  const { role } = content
  if (role !== undefined && role !== 'user' && role !== 'model')
    return badRequest('Please use a valid role: user, model.')
  const parts = objects(content['parts'])
  const at = `GenerateContentRequest.contents[${index}].parts`
  if (parts.length === 0) return badRequest(`* ${at}: contents.parts must not be empty.`)
  const empty = parts.findIndex((part) => part['text'] === '' || Object.keys(part).length === 0)
  if (empty === -1 || role === 'model') return undefined
  return badRequest(`* ${at}[${empty}].data: required oneof field 'data' must have one initialized field`)
}

/** Checks that a turn with function calls follows a user turn, and that the next turn answers each call. */
function checkFunctionTurns(contents: readonly JsonObject[]): Refusal | undefined {
  let calls = 0
  let before = ''
  for (const content of [...contents, { role: 'end', parts: [] }]) {
    const parts = objects(content['parts'])
    const responses = parts.filter((part) => part['functionResponse'] !== undefined).length
    if (responses !== calls) {
      return badRequest(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      )
    }
    calls = parts.filter((part) => part['functionCall'] !== undefined).length
    if (calls > 0 && before !== 'user') {
      return badRequest(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      )
    }
    before = textOf(content['role'] ?? 'user')
  }
  return undefined
}
