import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** A model server that streams one word after the other. */
export interface SlowModel {
  /** `providers` in troupe.json: its models are `openai-compatible/…`. */
  readonly providers: object
}

/** Starts a server that answers every request with the words, with a pause before each. The request is ignored. */
export async function startSlowModel(
  pieces: readonly string[],
  { pauseMs }: { readonly pauseMs: number },
): Promise<SlowModel> {
  const server = createServer((request, response) => {
    request.resume()
    response.on('error', () => {
      // the client has disconnected
    })
    void answer(response, { pieces, pauseMs })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { providers: { 'openai-compatible': { baseURL: `http://127.0.0.1:${port}/v1` } } }
}

async function answer(
  response: ServerResponse,
  { pieces, pauseMs }: { readonly pieces: readonly string[]; readonly pauseMs: number },
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const content of pieces) {
    await pause(pauseMs)
    if (response.destroyed) return
    send(response, { choices: [{ index: 0, delta: { role: 'assistant', content } }] })
  }
  send(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  const usage = { prompt_tokens: 10, completion_tokens: pieces.length, total_tokens: 10 + pieces.length }
  send(response, { choices: [], usage })
  response.end('data: [DONE]\n\n')
}

function send(response: ServerResponse, body: object): void {
  const chunk = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'slow', ...body }
  response.write(`data: ${JSON.stringify(chunk)}\n\n`)
}
