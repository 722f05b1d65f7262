import { isJsonObject } from '@troupe/schema'
import { textPieces, usageOf, type FakeAnswer } from './fake-provider.ts'
import { EVENT_STREAM, formatServerSentEvent, type FakeExchange, type Reply } from './provider-api.ts'

/** Creates a Chat Completions response, streamed if requested. */
export function chatReply(exchange: FakeExchange): Reply {
  const { body } = exchange
  if (body['stream'] !== true) return { json: completion(exchange) }
  const options = body['stream_options']
  const isRequested = isJsonObject(options) && options['include_usage'] === true
  const reportsUsage = isRequested && exchange.answer.usage !== 'none'
  const events = chunks(exchange, reportsUsage).map((chunk) => formatServerSentEvent(chunk))
  return { chunks: [...events, formatServerSentEvent('[DONE]')], contentType: EVENT_STREAM }
}

function completion(exchange: FakeExchange): object {
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

function chunks(exchange: FakeExchange, reportsUsage: boolean): readonly object[] {
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
    choice({}, finishReason(answer)),
    ...(reportsUsage ? [{ ...head, choices: [], usage: usage(exchange) }] : []),
  ]
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

function usage({ answer, body }: FakeExchange): object {
  const { input, output, cacheRead, reasoning } = usageOf(answer, body['messages'])
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  }
}
