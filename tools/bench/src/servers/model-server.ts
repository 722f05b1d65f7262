// A server that speaks Chat Completions, in a process of its own so that its CPU is not counted. Tells the process that forked it its
// port, and ends with it. The name of the model says what it does: `tokens-500`, `turns-10`.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { LAST_WORDS, tokensOf } from '../models.ts'
import { TOOL } from '../subjects/subject.ts'

interface ChatRequest {
  readonly model: string
  readonly stream?: boolean
  readonly messages: readonly { readonly role: string }[]
}

/** What is said next: text in pieces, or one call of the tool. */
type Said =
  | { readonly tokens: readonly string[] }
  | { readonly call: { readonly id: string; readonly args: string } }

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await text(request)) as ChatRequest
  if (body.stream === true) sendEvents(response, body)
  else sendWhole(response, body)
}

function nextWords({ model, messages }: ChatRequest): Said {
  const [kind, count = ''] = model.split('-')
  if (kind === 'tokens') return { tokens: tokensOf(Number(count)) }
  const turns = messages.filter(({ role }) => role === 'assistant').length
  if (turns < Number(count)) return { call: { id: `call-${turns}`, args: `{"n":${turns}}` } }
  return { tokens: [`${LAST_WORDS}: ${messages.length} messages`] }
}

function sendWhole(response: ServerResponse, body: ChatRequest): void {
  const said = nextWords(body)
  const message =
    'call' in said ? { content: null, tool_calls: [toCall(said)] } : { content: said.tokens.join('') }
  const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: finishOf(said) }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ ...envelope(body, 'chat.completion'), choices: [choice], usage: USAGE }))
}

/** Each event is a chunk of its own, as from a provider that sends each token when it has it. */
function sendEvents(response: ServerResponse, body: ChatRequest): void {
  const said = nextWords(body)
  const head = envelope(body, 'chat.completion.chunk')
  const send = (delta: object, finish: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason: finish }]
    response.write(`data: ${JSON.stringify({ ...head, choices })}\n\n`)
  }
  response.setHeader('content-type', 'text/event-stream')
  send({ role: 'assistant', content: '' })
  if ('call' in said) send({ tool_calls: [{ index: 0, ...toCall(said) }] })
  else for (const content of said.tokens) send({ content })
  send({}, finishOf(said))
  response.write(`data: ${JSON.stringify({ ...head, choices: [], usage: USAGE })}\n\n`)
  response.end('data: [DONE]\n\n')
}

function envelope({ model }: ChatRequest, object: string): object {
  return { id: 'chatcmpl-1', object, created: 1_700_000_000, model }
}

function toCall({ call }: Extract<Said, { readonly call: object }>): object {
  return { id: call.id, type: 'function', function: { name: TOOL, arguments: call.args } }
}

function finishOf(said: Said): string {
  return 'call' in said ? 'tool_calls' : 'stop'
}
