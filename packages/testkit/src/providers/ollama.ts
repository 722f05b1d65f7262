import { isJsonObject, type JsonObject } from '@troupe/schema'
import { textPieces, usageOf, type FakeProvider, type FakeProviderOptions } from './fake-provider.ts'
import {
  badRequest,
  objects,
  textOf,
  type FakeExchange,
  type ProviderApi,
  type Refusal,
  type Reply,
} from './provider-api.ts'
import { startFakeServer } from './fake-server.ts'

const providerApi: ProviderApi = {
  basePath: '/api',
  authorise: () => undefined,
  route: (path) => (path === '/chat' ? { check: checkChat, reply: chatReply } : undefined),
  errorBody: ({ message }) => ({ error: message }),
  streamError: ({ message }) => `${JSON.stringify({ error: message })}\n`,
}

/**
 * Starts a fake of Ollama: `POST /api/chat`, with and without streaming (JSON lines). Like Ollama, it needs
 * no key and ignores unknown fields.
 */
export function startFakeOllama(options: FakeProviderOptions): Promise<FakeProvider> {
  return startFakeServer(providerApi, options)
}

function checkChat(body: JsonObject): Refusal | undefined {
  if (typeof body['model'] !== 'string' || body['model'] === '') return badRequest('model is required')
  for (const message of objects(body['messages'])) {
    if (!['system', 'user', 'assistant', 'tool'].includes(textOf(message['role'])))
      return badRequest(`invalid role "${textOf(message['role'])}"`)
    if (message['content'] !== undefined && typeof message['content'] !== 'string')
      return badRequest(
        'json: cannot unmarshal array into Go struct field ChatRequest.messages of type string',
      )
    for (const call of objects(message['tool_calls'])) {
      const target = call['function']
      if (!isJsonObject(target) || !isJsonObject(target['arguments']))
        return badRequest('json: cannot unmarshal string into Go struct field ToolCallFunction.arguments')
    }
  }
  return undefined
}

function chatReply(exchange: FakeExchange): Reply {
  const { answer, body } = exchange
  const calls = (answer.calls ?? []).map(({ name, args }) => ({ function: { name, arguments: args } }))
  const toolCalls = calls.length > 0 ? { tool_calls: calls } : {}
  if (body['stream'] === false) {
    return { json: { ...line(exchange, { content: answer.text ?? '', ...toolCalls }), ...ending(exchange) } }
  }
  const lines = [
    ...textPieces(answer.text ?? '').map((content) => line(exchange, { content })),
    ...(calls.length > 0 ? [line(exchange, { content: '', ...toolCalls })] : []),
    { ...line(exchange, { content: '' }), ...ending(exchange) },
  ]
  return { chunks: lines.map((one) => `${JSON.stringify(one)}\n`), contentType: 'application/x-ndjson' }
}

function line({ body }: FakeExchange, message: object): object {
  const head = { model: body['model'], created_at: '2026-01-01T00:00:00Z', done: false }
  return { ...head, message: { role: 'assistant', ...message } }
}

function ending({ answer, body }: FakeExchange): object {
  const { input, output } = usageOf(answer, body['messages'])
  const reason = answer.finish === 'length' ? 'length' : 'stop'
  const counts = answer.usage === 'none' ? {} : { prompt_eval_count: input, eval_count: output }
  return { done: true, done_reason: reason, ...counts }
}
