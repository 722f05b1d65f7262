import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import {
  badRequest,
  firstRefusal,
  objects,
  textOf,
  unknownField,
  type Refusal,
  EVENT_STREAM,
  formatServerSentEvent,
  type FakeExchange,
  type Reply,
} from './provider-api.ts'
import { type FakeProviderOptions, textPieces, usageOf, type FakeAnswer } from './fake-provider.ts'
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

/** The usage in a stream: if requested, as in OpenAI's API, or always in the last chunk of the answer. */
export type StreamUsage = 'if-requested' | 'usage' | 'x_groq'

/** Counts of tokens in the form of an API. */
export type UsageFormat = (exchange: FakeExchange) => object

/** Creates a Chat Completions response, streamed if requested. */
export function chatReply(
  exchange: FakeExchange,
  report: StreamUsage = 'if-requested',
  usage: UsageFormat = openAIUsage,
): Reply {
  const { body } = exchange
  if (body['stream'] !== true) return { json: completion(exchange, usage) }
  const options = body['stream_options']
  const isRequested = isJsonObject(options) && options['include_usage'] === true
  const isReported = report !== 'if-requested' || isRequested
  const events = chunks(exchange, isReported && exchange.answer.usage !== 'none' ? report : undefined, usage)
  return {
    chunks: [...events.map((chunk) => formatServerSentEvent(chunk)), formatServerSentEvent('[DONE]')],
    contentType: EVENT_STREAM,
  }
}

function completion(exchange: FakeExchange, usage: UsageFormat): object {
  const { answer } = exchange
  const calls = toolCalls(exchange)
  return {
    ...envelope(exchange, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text ?? null,
          refusal: null,
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        },
        logprobs: null,
        finish_reason: finishReason(answer),
      },
    ],
    ...(answer.usage === 'none' ? {} : { usage: usage(exchange) }),
  }
}

function chunks(
  exchange: FakeExchange,
  report: StreamUsage | undefined,
  usage: UsageFormat,
): readonly object[] {
  const reportsUsage = report === 'if-requested'
  const { answer } = exchange
  const deltas: object[] = [
    { role: 'assistant', content: answer.text === undefined ? null : '', refusal: null },
  ]
  for (const content of textPieces(answer.text ?? '')) deltas.push({ content })
  for (const [index, call] of toolCalls(exchange).entries()) {
    const { arguments: args, name } = call.function
    if (answer.calls?.[index]?.inOneChunk === true) {
      deltas.push({ tool_calls: [{ ...call, index }] })
      continue
    }
    deltas.push({ tool_calls: [{ ...call, index, function: { name, arguments: '' } }] })
    for (const part of halves(args)) deltas.push({ tool_calls: [{ index, function: { arguments: part } }] })
  }
  const head = { ...envelope(exchange, 'chat.completion.chunk'), ...(reportsUsage ? { usage: null } : {}) }
  const choice = (delta: object, finish_reason: string | null): object => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })
  return [
    ...deltas.map((delta) => choice(delta, null)),
    { ...choice({}, finishReason(answer)), ...lastUsage(exchange, report, usage) },
    ...(reportsUsage ? [{ ...head, choices: [], usage: usage(exchange) }] : []),
  ]
}

function lastUsage(exchange: FakeExchange, report: StreamUsage | undefined, usage: UsageFormat): object {
  if (report === 'x_groq') return { x_groq: { id: 'req_fake', usage: usage(exchange) } }
  return report === 'usage' ? { usage: usage(exchange) } : {}
}

function envelope({ request, body }: FakeExchange, object: string): object {
  return {
    id: `chatcmpl-${request.index}`,
    object,
    created: 1_700_000_000,
    model: body['model'],
    service_tier: 'default',
    system_fingerprint: 'fp_fake',
  }
}

interface ChatToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

function toolCalls({ request, answer }: FakeExchange): readonly ChatToolCall[] {
  return (answer.calls ?? []).map((call, index) => ({
    id: call.id ?? `call_${request.index}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: argumentText(call.args) },
  }))
}

function argumentText(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args)
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '')
}

function finishReason({ finish, calls = [] }: FakeAnswer): string {
  if (finish !== undefined) return finish === 'length' ? 'length' : 'content_filter'
  return calls.length > 0 ? 'tool_calls' : 'stop'
}

/** Returns the usage in the format of OpenAI. */
export function openAIUsage({ answer, body }: FakeExchange): object {
  const { input, output, cacheRead, reasoning } = usageOf(answer, body['messages'])
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  }
}
