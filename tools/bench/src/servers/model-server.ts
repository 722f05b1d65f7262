// A Chat Completions server in a process of its own, so that its CPU time is not counted. Streams as many tokens as the
// name of the model says: `tokens-500`. Sends its port to the process that started it, and ends with it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { tokensOf } from '../script.ts'

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())

/** Writes each token as its own chunk, as a provider does that sends tokens one by one. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model } = JSON.parse(await text(request)) as { readonly model: string }
  const envelope = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model }
  const send = (fields: object): void => {
    response.write(`data: ${JSON.stringify({ ...envelope, ...fields })}\n\n`)
  }
  const sendDelta = (delta: object, finish: string | null = null): void =>
    send({ choices: [{ index: 0, delta, finish_reason: finish }] })
  response.setHeader('content-type', 'text/event-stream')
  sendDelta({ role: 'assistant', content: '' })
  for (const content of tokensOf(Number(model.replace('tokens-', '')))) sendDelta({ content })
  sendDelta({}, 'stop')
  send({ choices: [], usage: USAGE })
  response.end('data: [DONE]\n\n')
}
