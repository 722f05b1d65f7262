import {
  badRequest,
  EVENT_STREAM,
  formatServerSentEvent,
  type FakeExchange,
  type ProviderApi,
  type Refusal,
  type Reply,
} from './provider-api.ts'
import { checkMessagesRequest } from './anthropic-request.ts'
import { startFakeServer } from './fake-server.ts'
import {
  textPieces,
  usageOf,
  type FakeAnswer,
  type FakeProvider,
  type FakeProviderOptions,
  type RecordedRequest,
} from './fake-provider.ts'

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
  | { readonly type: 'text'; readonly text: string }
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
  const text: AnthropicReplyBlock[] = answer.text === undefined ? [] : [{ type: 'text', text: answer.text }]
  const calls = (answer.calls ?? []).map((call, index): AnthropicReplyBlock => ({
    type: 'tool_use',
    id: call.id ?? `toolu_${request.index}_${index}`,
    name: call.name,
    input: call.args,
  }))
  return [...text, ...calls]
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
  const empty = block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} }
  const deltas =
    block.type === 'text'
      ? textPieces(block.text).map((text) => ({ type: 'text_delta', text }))
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
