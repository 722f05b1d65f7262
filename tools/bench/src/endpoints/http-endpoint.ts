import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { INPUT } from '../script.ts'
import type { Endpoint } from './open-endpoint.ts'

/** Opens `node:http` in front of a streaming agent, without authentication, limits, a log or a store. */
export async function openHttpEndpoint(
  run: (input: string, onToken: (text: string) => void) => Promise<string>,
): Promise<Endpoint> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { q } = JSON.parse(await text(request)) as { readonly q: string }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    await run(q, (token) => response.write(`data: ${JSON.stringify({ delta: token })}\n\n`))
    response.end('data: [DONE]\n\n')
  }
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    void answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return {
    port: (server.address() as AddressInfo).port,
    path: '/',
    headers: {},
    body: JSON.stringify({ q: INPUT }),
    async close() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
