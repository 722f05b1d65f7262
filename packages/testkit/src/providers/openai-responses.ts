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
import { type FakeAnswer, type FakeProviderOptions, textPieces, usageOf } from './fake-provider.ts'
import { checkAnswerSchema, checkFunction, checkToolCount, checkToolName } from './openai-tools.ts'

const FIELDS = new Set(
  `background conversation include input instructions max_output_tokens max_tool_calls metadata model
  parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier
  service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user`.split(
    /\s+/u,
  ),
)

/** Validates a request like the Responses API. Returns `undefined` if it is valid. */
export function checkResponsesRequest(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  const unknown = unknownField(body, FIELDS, options)
  if (unknown !== undefined) {
    return badRequest(`Unknown parameter: '${unknown}'.`, { code: 'unknown_parameter', param: unknown })
  }
  const { input, model } = body
  if (typeof model !== 'string' || model === '') return badRequest("Missing required parameter: 'model'.")
  if (input === undefined || (Array.isArray(input) && input.length === 0))
    return badRequest("Missing required parameter: 'input'.")
  return firstRefusal([
    () => checkToolCount(body['tools']),
    () =>
      firstRefusal(
        objects(body['tools'])
          .filter((tool) => tool['type'] === 'function')
          .map((tool, index) => () => checkFunction(tool, `tools[${index}]`)),
      ),
    () => checkItems(objects(input)),
    () => checkText(body['text']),
  ])
}

function checkText(text: Json | undefined): Refusal | undefined {
  const format = isJsonObject(text) ? text['format'] : undefined
  return isJsonObject(format) && format['type'] === 'json_schema' ? checkAnswerSchema(format) : undefined
}

/** Checks that every output answers a preceding call, and that every call is answered. */
function checkItems(items: readonly JsonObject[]): Refusal | undefined {
  const open = new Set<unknown>()
  for (const [index, item] of items.entries()) {
    if (item['type'] === 'function_call') {
      open.add(item['call_id'])
      const name = checkToolName(item['name'], `input[${index}].name`)
      if (name !== undefined) return name
    }
    if (item['type'] === 'function_call_output' && !open.delete(item['call_id'])) {
      return badRequest(
        `No tool call found for function call output with call_id ${textOf(item['call_id'])}.`,
        { param: 'input' },
      )
    }
  }
  if (open.size === 0) return undefined
  return badRequest(`No tool output found for function call ${[...open].join(', ')}.`, { param: 'input' })
}

/** Creates a Responses API response, streamed if requested. */
export function responsesReply(exchange: FakeExchange): Reply {
  if (exchange.body['stream'] !== true) return { json: response(exchange, true) }
  const events = streamEvents(exchange).map((event, index) =>
    formatServerSentEvent({ ...event, sequence_number: index }, event.type),
  )
  return { chunks: events, contentType: EVENT_STREAM }
}

interface ResponsesStreamEvent {
  readonly type: string
  readonly [field: string]: unknown
}

function streamEvents(exchange: FakeExchange): readonly ResponsesStreamEvent[] {
  const start = response(exchange, false)
  const items = output(exchange).flatMap((item, index) => itemEvents(item, index))
  return [
    { type: 'response.created', response: start },
    { type: 'response.in_progress', response: start },
    ...items,
    {
      type: exchange.answer.finish === undefined ? 'response.completed' : 'response.incomplete',
      response: response(exchange, true),
    },
  ]
}

function itemEvents(item: ResponsesOutputItem, output_index: number): readonly ResponsesStreamEvent[] {
  const at = { output_index, item_id: item.id }
  const done = { type: 'response.output_item.done', output_index, item }
  if (item.type === 'function_call') {
    return [
      { type: 'response.output_item.added', output_index, item: { ...item, arguments: '' } },
      { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments },
      { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments },
      done,
    ]
  }
  if (item.type === 'web_search_call') {
    return [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
      { type: 'response.web_search_call.in_progress', ...at },
      { type: 'response.web_search_call.completed', ...at },
      done,
    ]
  }
  const part = item.content[0]
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, content: [] } },
    {
      type: 'response.content_part.added',
      ...at,
      content_index: 0,
      part: { ...part, text: '', annotations: [] },
    },
    ...textPieces(part.text).map((delta) => ({
      type: 'response.output_text.delta',
      ...at,
      content_index: 0,
      delta,
      logprobs: [],
    })),
    ...part.annotations.map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      ...at,
      content_index: 0,
      annotation_index,
      annotation,
    })),
    { type: 'response.output_text.done', ...at, content_index: 0, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...at, content_index: 0, part },
    done,
  ]
}

interface TextPart {
  readonly type: 'output_text'
  readonly text: string
  readonly annotations: readonly unknown[]
  readonly logprobs: readonly unknown[]
}

type ResponsesOutputItem =
  | {
      readonly type: 'web_search_call'
      readonly id: string
      readonly status: string
      readonly action: { readonly type: 'search'; readonly query: string }
    }
  | {
      readonly type: 'message'
      readonly id: string
      readonly status: string
      readonly role: 'assistant'
      readonly content: readonly [TextPart]
    }
  | {
      readonly type: 'function_call'
      readonly id: string
      readonly status: string
      readonly call_id: string
      readonly name: string
      readonly arguments: string
    }

function output({ request, answer }: FakeExchange): readonly ResponsesOutputItem[] {
  const status = 'completed'
  const text: ResponsesOutputItem[] =
    answer.text === undefined
      ? []
      : [
          {
            type: 'message',
            id: `msg_${request.index}`,
            status,
            role: 'assistant',
            content: [
              { type: 'output_text', text: answer.text, annotations: annotationsOf(answer), logprobs: [] },
            ],
          },
        ]
  const calls = (answer.calls ?? []).map((call, index): ResponsesOutputItem => ({
    type: 'function_call',
    id: `fc_${request.index}_${index}`,
    status,
    call_id: call.id ?? `call_${request.index}_${index}`,
    name: call.name,
    arguments: typeof call.args === 'string' ? call.args : JSON.stringify(call.args),
  }))
  const searches = (answer.searches ?? []).map((query, index): ResponsesOutputItem => ({
    type: 'web_search_call',
    id: `ws_${request.index}_${index}`,
    status,
    action: { type: 'search', query },
  }))
  return [...searches, ...text, ...calls]
}

function annotationsOf({ citations = [] }: FakeAnswer): readonly object[] {
  return citations.map(({ url, title, start, end }) => ({
    type: 'url_citation',
    url,
    title,
    start_index: start,
    end_index: end,
  }))
}

function response(exchange: FakeExchange, complete: boolean): object {
  const { request, body, answer } = exchange
  const cut = answer.finish === 'length' ? 'max_output_tokens' : 'content_filter'
  const ended = answer.finish === undefined ? 'completed' : 'incomplete'
  return {
    id: `resp_${request.index}`,
    object: 'response',
    created_at: 1_700_000_000,
    status: complete ? ended : 'in_progress',
    error: null,
    incomplete_details: complete && answer.finish !== undefined ? { reason: cut } : null,
    model: body['model'],
    output: complete ? output(exchange) : [],
    usage: complete && answer.usage !== 'none' ? usage(exchange) : null,
  }
}

function usage({ answer, body }: FakeExchange): object {
  const { input, output: produced, cacheRead, reasoning } = usageOf(answer, body['input'])
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: produced,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + produced,
  }
}
