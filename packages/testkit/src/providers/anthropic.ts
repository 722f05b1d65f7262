import {
  badRequest,
  EVENT_STREAM,
  formatServerSentEvent,
  type FakeExchange,
  type ProviderApi,
  type Refusal,
  type Reply,
  firstRefusal,
  objects,
  unknownField,
  textOf,
} from './provider-api.ts'
import { startFakeServer } from './fake-server.ts'
import {
  textPieces,
  usageOf,
  type FakeAnswer,
  type FakeProvider,
  type FakeProviderOptions,
  type RecordedRequest,
} from './fake-provider.ts'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'

const ERROR_TYPES: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [529, 'overloaded_error'],
])

const providerApi: ProviderApi = {
  basePath: '/v1',
  overflow: (tokens, window) => badRequest(`prompt is too long: ${tokens} tokens > ${window} maximum`),
  authorise,
  route: (path) => (path === '/messages' ? { check: checkMessagesRequest, reply: messagesReply } : undefined),
  errorBody,
  streamError: (refusal) => formatServerSentEvent(errorBody(refusal), 'error'),
}

function errorBody({ status, message }: Refusal): object {
  return {
    type: 'error',
    error: { type: ERROR_TYPES.get(status) ?? 'api_error', message },
    request_id: 'req_fake',
  }
}

/**
 * Starts a fake of Anthropic's API: `POST /v1/messages`, with and without streaming. Rejects requests that
 * the real API rejects: empty text, roles that do not alternate, tool calls without results, a missing
 * `max_tokens`.
 */
export function startFakeAnthropic(options: FakeProviderOptions): Promise<FakeProvider> {
  return startFakeServer(providerApi, options)
}

function authorise({ headers }: RecordedRequest, options: FakeProviderOptions): Refusal | undefined {
  const key =
    headers['x-api-key'] ?? /^Bearer (?<key>\S+)$/u.exec(headers['authorization'] ?? '')?.groups?.['key']
  if (key === undefined || key === '') return { status: 401, message: 'x-api-key header is required' }
  if (options.apiKey !== undefined && key !== options.apiKey)
    return { status: 401, message: 'invalid x-api-key' }
  if (headers['anthropic-version'] === undefined)
    return { status: 400, message: 'anthropic-version: header is required' }
  return undefined
}

/** Creates a Messages API response, streamed if requested. */
function messagesReply(exchange: FakeExchange): Reply {
  const blocks = contentBlocks(exchange)
  if (exchange.body['stream'] !== true) {
    return { json: { ...envelope(exchange, exchange.answer), content: blocks, usage: usage(exchange) } }
  }
  const chunks = streamEvents(exchange, blocks).map((event) => formatServerSentEvent(event, event.type))
  return { chunks, contentType: EVENT_STREAM }
}

type AnthropicReplyBlock =
  | { readonly type: 'text'; readonly text: string; readonly citations?: readonly object[] }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

interface Envelope {
  readonly stop_reason: string | null
  readonly [field: string]: unknown
}

interface AnthropicStreamEvent {
  readonly type: string
  readonly [field: string]: unknown
}

function contentBlocks({ request, answer }: FakeExchange): readonly AnthropicReplyBlock[] {
  const text: AnthropicReplyBlock[] =
    answer.text === undefined ? [] : [{ type: 'text', text: answer.text, ...citationsOf(answer) }]
  const calls = (answer.calls ?? []).map((call, index): AnthropicReplyBlock => ({
    type: 'tool_use',
    id: call.id ?? `toolu_${request.index}_${index}`,
    name: call.name,
    input: call.args,
  }))
  return [...text, ...calls]
}

function citationsOf({ citations = [] }: FakeAnswer): { readonly citations?: readonly object[] } {
  if (citations.length === 0) return {}
  return {
    citations: citations.map(({ url, title, quote = '' }, index) => ({
      type: 'web_search_result_location',
      url,
      title,
      cited_text: quote,
      encrypted_index: `index-${index}`,
    })),
  }
}

function streamEvents(
  exchange: FakeExchange,
  blocks: readonly AnthropicReplyBlock[],
): readonly AnthropicStreamEvent[] {
  const { input_tokens, ...rest } = usage(exchange)
  const start = { ...envelope(exchange), content: [], usage: { ...rest, input_tokens, output_tokens: 1 } }
  const { stop_reason } = envelope(exchange, exchange.answer)
  return [
    { type: 'message_start', message: start },
    { type: 'ping' },
    ...blocks.flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: rest.output_tokens },
    },
    { type: 'message_stop' },
  ]
}

function blockEvents(block: AnthropicReplyBlock, index: number): readonly AnthropicStreamEvent[] {
  const empty = block.type === 'text' ? { type: block.type, text: '' } : { ...block, input: {} }
  const deltas =
    block.type === 'text'
      ? [
          ...textPieces(block.text).map((text) => ({ type: 'text_delta', text })),
          ...(block.citations ?? []).map((citation) => ({ type: 'citations_delta', citation })),
        ]
      : ['', argumentText(block.input)].map((partial_json) => ({ type: 'input_json_delta', partial_json }))
  return [
    { type: 'content_block_start', index, content_block: empty },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

/** Returns text unchanged, so that a test can stream arguments that are not JSON. */
function argumentText(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args)
}

function envelope({ request, body }: FakeExchange, answer?: FakeAnswer): Envelope {
  return {
    id: `msg_${request.index}`,
    type: 'message',
    role: 'assistant',
    model: body['model'],
    stop_reason: answer === undefined ? null : stopReason(answer),
    stop_sequence: null,
  }
}

function stopReason({ finish, calls = [] }: FakeAnswer): string {
  if (finish !== undefined) return finish === 'length' ? 'max_tokens' : 'refusal'
  return calls.length > 0 ? 'tool_use' : 'end_turn'
}

function usage({ answer, body }: FakeExchange): {
  readonly input_tokens: number
  readonly output_tokens: number
} {
  const { input, output, cacheRead, cacheWrite } = usageOf(answer, body['messages'])
  const tokens = { cache_creation_input_tokens: cacheWrite, cache_read_input_tokens: cacheRead }
  return { input_tokens: input - cacheRead - cacheWrite, ...tokens, output_tokens: output }
}

const FIELDS = new Set(
  `model messages max_tokens cache_control container context_management inference_geo mcp_servers metadata
  output_config output_format service_tier speed stop_sequences stream system temperature thinking tool_choice tools
  top_k top_p`.split(/\s+/u),
)
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/u
const CALL_ID = /^[a-zA-Z0-9_-]+$/u

/** Validates a request like the Messages API. Returns `undefined` if it is valid. */
function checkMessagesRequest(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  const messages = objects(body['messages'])
  return firstRefusal([
    () => checkFields(body, options),
    () => checkTools(objects(body['tools'])),
    () => checkText(body['system'], 'system'),
    () => checkRoles(messages),
    () => firstRefusal(messages.map((message, index) => () => checkContent(message, index, messages.length))),
    () => checkToolResults(messages),
  ])
}

function checkFields(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  const unknown = unknownField(body, FIELDS, options)
  if (unknown !== undefined) return badRequest(`${unknown}: Extra inputs are not permitted`)
  for (const field of ['model', 'max_tokens', 'messages'])
    if (body[field] === undefined) return badRequest(`${field}: Field required`)
  const limit = body['max_tokens']
  if (typeof limit !== 'number' || limit < 1)
    return badRequest('max_tokens: Input should be greater than or equal to 1')
  if (objects(body['messages']).length === 0) return badRequest('messages: at least one message is required')
  return undefined
}

function checkTools(tools: readonly JsonObject[]): Refusal | undefined {
  const names = new Set<unknown>()
  for (const [index, tool] of tools.entries()) {
    if (tool['type'] !== undefined && tool['type'] !== 'custom') continue
    const at = `tools.${index}.custom`
    const { name, input_schema: schema } = tool
    if (typeof name !== 'string' || !TOOL_NAME.test(name))
      return badRequest(`${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
    if (!isJsonObject(schema)) return badRequest(`${at}.input_schema: Field required`)
    if (schema['type'] === undefined) return badRequest(`${at}.input_schema.type: Field required`)
    if (schema['type'] !== 'object') return badRequest(`${at}.input_schema.type: Input should be 'object'`)
    if (names.has(name)) return badRequest('tools: Tool names must be unique.')
    names.add(name)
  }
  return undefined
}

function checkRoles(messages: readonly JsonObject[]): Refusal | undefined {
  let previous: Json | undefined
  for (const [index, { role }] of messages.entries()) {
    if (role !== 'user' && role !== 'assistant')
      return badRequest(`messages.${index}.role: Input should be 'user' or 'assistant'`)
    if (index === 0 && role !== 'user') return badRequest('messages: first message must use the "user" role')
    if (role === previous) {
      return badRequest(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
      )
    }
    previous = role
  }
  return undefined
}

function checkContent(message: JsonObject, index: number, count: number): Refusal | undefined {
  const { content, role } = message
  const isEmpty = content === '' || (Array.isArray(content) && content.length === 0) || content === undefined
  const isPrefill = role === 'assistant' && index === count - 1
  if (isEmpty && !isPrefill) {
    return badRequest(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    )
  }
  if (isPrefill && /\s$/u.test(lastText(content)))
    return badRequest('messages: final assistant content cannot end with trailing whitespace')
  return checkText(content, 'messages') ?? checkCalls(objects(content), index)
}

function checkText(content: Json | undefined, at: string): Refusal | undefined {
  const isEmpty = objects(content).some((block) => block['type'] === 'text' && block['text'] === '')
  return isEmpty ? badRequest(`${at}: text content blocks must be non-empty`) : undefined
}

function checkCalls(blocks: readonly JsonObject[], index: number): Refusal | undefined {
  for (const [ordinal, block] of blocks.entries()) {
    if (block['type'] !== 'tool_use') continue
    const at = `messages.${index}.content.${ordinal}.tool_use`
    if (!CALL_ID.test(textOf(block['id'])))
      return badRequest(`${at}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`)
    if (!TOOL_NAME.test(textOf(block['name'])))
      return badRequest(`${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
    if (!isJsonObject(block['input'])) return badRequest(`${at}.input: Input should be a valid dictionary`)
  }
  return undefined
}

/** Checks that the calls of a message are answered in the next message, and nothing else is. */
function checkToolResults(messages: readonly JsonObject[]): Refusal | undefined {
  let open = new Set<unknown>()
  for (const [index, message] of [...messages, { content: [] }].entries()) {
    const blocks = objects(message['content'])
    for (const [ordinal, block] of blocks.entries()) {
      const id = block['tool_use_id']
      if (block['type'] !== 'tool_result' || open.delete(id)) continue
      return badRequest(
        `messages.${index}.content.${ordinal}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${textOf(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    }
    if (open.size > 0) {
      return badRequest(
        `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...open].join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      )
    }
    open = new Set(blocks.filter((block) => block['type'] === 'tool_use').map((block) => block['id']))
  }
  return undefined
}

function lastText(content: Json | undefined): string {
  if (typeof content === 'string') return content
  return textOf(objects(content).at(-1)?.['text'])
}
