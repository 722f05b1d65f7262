import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fakeClock } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limitedFetch } from '../src/transport/limited-fetch.ts'
import { DEFAULT_TIMEOUTS } from '../src/transport/transport-timeouts.ts'

interface Endless {
  readonly url: string
  /** Resolves when the connection of its one request is closed by the client. */
  readonly closed: Promise<void>
}

/** Answers without end, before it has read the request. */
async function startEndless(): Promise<Endless> {
  const closed = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const timer = setInterval(() => response.write('data: {}\n\n'), 1)
    response.on('close', () => {
      clearInterval(timer)
      closed.resolve()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, closed: closed.promise }
}

const REASON = { code: 'run_cancelled', message: 'The run was stopped.' }

describe('an answer that is left', () => {
  const rules = { provider: 'p', timeouts: DEFAULT_TIMEOUTS, clock: fakeClock(), streams: 'events' } as const
  const ask = (url: string, signal: AbortSignal): Promise<Response> =>
    limitedFetch(fetch, rules)(url, { method: 'POST', body: '{"stream":true}', signal })

  it('by its signal closes the connection and tells its reader why, and nothing rejects that nobody waits for', async () => {
    const { url, closed } = await startEndless()
    const controller = new AbortController()
    const { body } = await ask(url, controller.signal)
    const drained = drain(body).catch((thrown: unknown) => thrown)
    controller.abort(REASON)
    expect(await drained).toEqual(REASON)
    await closed
  })

  it('by its reader and by its signal at once closes the connection, and nothing rejects that nobody waits for', async () => {
    const { url, closed } = await startEndless()
    const controller = new AbortController()
    const reader = (await ask(url, controller.signal)).body?.getReader()
    await reader?.read()
    const cancelled = reader?.cancel()
    controller.abort(REASON)
    expect(await Promise.all([cancelled, closed])).toHaveLength(2)
  })
})

async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  for await (const piece of body ?? []) expect(piece.length).toBeGreaterThan(0)
}
