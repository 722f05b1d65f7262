import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { badRequest, firstRefusal, objects, textOf, unknownField, type Refusal } from './provider-api.ts'
import type { FakeProviderOptions } from './fake-provider.ts'
import { checkAnswerSchema, checkFunction, checkToolCount, checkToolName } from './openai-tools.ts'

const FIELDS = new Set(
  `messages model store reasoning_effort metadata frequency_penalty logit_bias logprobs top_logprobs max_tokens
  max_completion_tokens n modalities prediction audio presence_penalty response_format seed service_tier stop stream
  stream_options temperature top_p tools tool_choice parallel_tool_calls user safety_identifier prompt_cache_key
  prompt_cache_retention verbosity web_search_options`.split(/\s+/u),
)
const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool'])
const REASONING_MODEL = /^(?:o\d|gpt-5)/u

/** Validates a request like the Chat Completions API. Returns `undefined` if it is valid. */
export function checkChatRequest(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  return firstRefusal([
    () => checkFields(body, options),
    () => checkToolCount(body['tools']),
    () => firstRefusal(objects(body['tools']).map((tool, index) => () => checkTool(tool, index))),
    () => firstRefusal(objects(body['messages']).map((message, index) => () => checkMessage(message, index))),
    () => checkToolResults(objects(body['messages'])),
    () => checkResponseFormat(body['response_format']),
  ])
}

function checkFields(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  const unknown = unknownField(body, FIELDS, options)
  if (unknown !== undefined) return badRequest(`Unrecognized request argument supplied: ${unknown}`)
  if (typeof body['model'] !== 'string' || body['model'] === '')
    return badRequest('you must provide a model parameter')
  if (objects(body['messages']).length === 0) {
    return badRequest("Invalid 'messages': empty array. Expected an array with minimum length 1.", {
      param: 'messages',
    })
  }
  if (body['stream_options'] !== undefined && body['stream'] !== true)
    return badRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.")
  if (body['max_tokens'] !== undefined && REASONING_MODEL.test(body['model'])) {
    return badRequest(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { code: 'unsupported_parameter', param: 'max_tokens' },
    )
  }
  return undefined
}

function checkResponseFormat(format: Json | undefined): Refusal | undefined {
  return isJsonObject(format) ? checkAnswerSchema(format['json_schema']) : undefined
}

function checkTool(tool: JsonObject, index: number): Refusal | undefined {
  const definition = tool['function']
  if (tool['type'] !== 'function' || !isJsonObject(definition))
    return badRequest(`Missing required parameter: 'tools[${index}].function'.`)
  return checkFunction(definition, `tools[${index}].function`)
}

function checkMessage(message: JsonObject, index: number): Refusal | undefined {
  const at = `messages[${index}]`
  const { role, content } = message
  if (typeof role !== 'string' || !ROLES.has(role))
    return badRequest(
      `Invalid value: '${textOf(role)}'. Supported values are: 'system', 'assistant', 'user', 'tool' and 'developer'.`,
    )
  const calls = objects(message['tool_calls'])
  const hasContent = typeof content === 'string' || Array.isArray(content)
  if (!hasContent && !(role === 'assistant' && calls.length > 0))
    return badRequest(`Invalid value for 'content': expected a string, got null.`, { param: `${at}.content` })
  return firstRefusal(
    calls.map((call, ordinal) => () => {
      const param = `${at}.tool_calls[${ordinal}]`
      const target = call['function']
      if (typeof call['id'] !== 'string' || call['type'] !== 'function' || !isJsonObject(target))
        return badRequest(`Missing required parameter: '${param}.function'.`)
      if (typeof target['arguments'] !== 'string')
        return badRequest(`Invalid type for '${param}.function.arguments': expected a string.`)
      return checkToolName(target['name'], `${param}.function.name`)
    }),
  )
}

/**
 * Checks that every tool message answers a call of the preceding assistant message, and that every call is
 * answered.
 */
function checkToolResults(messages: readonly JsonObject[]): Refusal | undefined {
  let open = new Set<unknown>()
  for (const message of [...messages, { role: 'end' }]) {
    const { role, tool_call_id: id, tool_calls: calls } = message
    if (role === 'tool') {
      if (open.delete(id)) continue
      return badRequest(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      )
    }
    if (open.size > 0) {
      return badRequest(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
      )
    }
    open = new Set(objects(calls).map((call) => call['id']))
  }
  return undefined
}
