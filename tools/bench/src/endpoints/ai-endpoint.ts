import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { isStepCount, streamText, tool } from 'ai'
import { z } from 'zod'
import { callAndTellModel } from '../models.ts'
import { INSTRUCTION, TOOL } from '../subjects/subject.ts'
import type { Endpoint } from './endpoint.ts'

/** `node:http` and `streamText`, as its documentation shows it: no token, no log, no limits, nothing kept. */
export async function aiEndpoint(tokens: number): Promise<Endpoint> {
  const model = callAndTellModel(tokens)
  const tools = {
    [TOOL]: tool({
      description: 'Does nothing.',
      inputSchema: z.object({ n: z.number() }),
      execute: () => 'ok',
    }),
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { q } = JSON.parse(await text(request)) as { readonly q: string }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const { textStream } = streamText({
      model,
      tools,
      instructions: INSTRUCTION,
      prompt: q,
      stopWhen: isStepCount(2),
    })
    for await (const token of textStream) response.write(`data: ${JSON.stringify({ delta: token })}\n\n`)
    response.end('data: [DONE]\n\n')
  }
  const server = createServer(
    { keepAliveTimeout: 75_000 },
    (request, response) => void answer(request, response),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return {
    port: (server.address() as AddressInfo).port,
    path: '/',
    headers: {},
    body: JSON.stringify({ q: 'hello' }),
    async close() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
