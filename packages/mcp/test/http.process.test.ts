import type { ServerResponse } from 'node:http'
import { resultText } from '@troupe/schema'
import { heldClock, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import {
  readMessage,
  startHttp,
  startOlderSse,
  startSessions,
  startTeam,
  type TestServer,
} from './support/http-servers.ts'
import { eventually } from './support/process-table.ts'
import { call, leaseOf, testPool, toolNamed } from './support/test-pool.ts'

describe('an HTTP server', () => {
  it(`an HTTP server lists its tools and answers in the protocol of 2026-07-28 ${verifies('C35')}`, async () => {
    const { url } = await startTeam({ legacy: 'reject' })
    const lease = await leaseOf(testPool(), { url })
    expect(toolNamed(lease, 'echo')).toMatchObject({ source: 'mcp', server: 'tm', effect: 'read' })
    expect(resultText(await call(lease, 'era'))).toBe('modern')
    expect(await call(lease, 'add', { a: 1, b: 2 })).toMatchObject({ structured: { sum: 3 } })
  })

  it('an HTTP server answers in the previous protocol, in a session that ends with the pool', async () => {
    const server = await startSessions()
    const pool = testPool()
    const lease = await leaseOf(pool, { url: server.url })
    expect(resultText(await call(lease, 'echo', { text: 'hi' }))).toBe('hi')
    expect(server.open()).toBe(1)
    await pool.close()
    expect(server.open()).toBe(0)
  })

  it.each([['sse' as const], [undefined]])(
    'an HTTP server may support only the oldest transport (type: %s)',
    async (type) => {
      const { url } = await startOlderSse()
      const lease = await leaseOf(testPool(), { url, ...(type === undefined ? {} : { type }) })
      expect(resultText(await call(lease, 'echo', { text: 'hi' }))).toBe('hi')
    },
  )

  it('an HTTP server is not tried with the oldest transport when its type says that it is newer', async () => {
    const server = await startOlderSse()
    await expect(leaseOf(testPool(), { url: server.url, type: 'http' })).rejects.toMatchObject({
      code: 'mcp_start_failed',
      message: expect.stringContaining('HTTP 405'),
    })
    expect(server.requests.filter((line) => line.startsWith('GET'))).toEqual([])
  })

  it('an HTTP server is sent one list request for all leases that share it', async () => {
    const server = await startTeam()
    const pool = testPool()
    await Promise.all(Array.from({ length: 10 }, () => leaseOf(pool, { url: server.url })))
    await leaseOf(pool, { url: server.url })
    expect(server.requests.filter((line) => line.endsWith('tools/list'))).toHaveLength(1)
  })

  it('an HTTP server is sent a new list request after it reported a change of its tools', async () => {
    const server = await startTeam()
    const pool = testPool()
    const lease = await leaseOf(pool, { url: server.url })
    await call(lease, 'announce')
    await eventually('the list is read again', async () => {
      const next = await leaseOf(pool, { url: server.url })
      expect(next.tools.map((tool) => tool.name)).toEqual(lease.tools.map((tool) => tool.name))
      expect(toolNamed(next, 'echo')).toBe(toolNamed(lease, 'echo'))
      return server.requests.filter((line) => line.endsWith('tools/list')).length === 2
    })
  })

  it('an HTTP server passes on progress, and cancellation reaches it', async () => {
    const { url } = await startTeam()
    const lease = await leaseOf(testPool(), { url })
    const told: string[] = []
    await call(lease, 'count', {}, { progress: (text) => told.push(text) })
    expect(told).toEqual(['counting (1/2)', 'counting (2/2)'])
    const stop = new AbortController()
    const before = Number(resultText(await call(lease, 'stopped')))
    const waiting = call(lease, 'wait', {}, { signal: stop.signal })
    await call(lease, 'echo', { text: 'the call before is under way' })
    stop.abort()
    expect((await waiting).failure?.code).toBe('run_cancelled')
    await eventually(
      'the server stops too',
      async () => Number(resultText(await call(lease, 'stopped'))) === before + 1,
    )
  })
})

describe('a session that the server lost', () => {
  it('a session that the server lost is opened again for the next call, invisibly to the caller', async () => {
    const server = await startSessions()
    const lease = await leaseOf(testPool(), { url: server.url })
    server.forget()
    expect(resultText(await call(lease, 'echo', { text: 'hi' }))).toBe('hi')
  })
})

describe('an HTTP server that cannot be used', () => {
  it('an unreachable HTTP server is reported with its address and the network error', async () => {
    const { url, stop } = await startTeam()
    await stop()
    const config = { url: `${url}?token=s3cret` }
    const error = await leaseOf(testPool(), config).then(String, (thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'mcp_start_failed',
      message: expect.stringContaining('ECONNREFUSED'),
    })
    expect((error as Error).message).toContain(url)
    expect((error as Error).message).not.toContain('s3cret')
  })

  it.each([401, 403, 404, 500])(
    'an HTTP server that cannot be used is reported with HTTP %i',
    async (status) => {
      const { url } = await startHttp((_request, response) =>
        response.writeHead(status).end('<html>no</html>'),
      )
      await expect(leaseOf(testPool(), { url })).rejects.toMatchObject({
        code: 'mcp_start_failed',
        message: expect.stringContaining(`HTTP ${status}`),
      })
    },
  )

  it('the start of an HTTP server ends after the start timeout', async () => {
    const { url } = await startHttp(() => undefined)
    await expect(leaseOf(testPool({ startTimeout: 300 }), { url })).rejects.toMatchObject({
      code: 'mcp_start_failed',
      message: expect.stringContaining('did not answer within 0.3 s'),
    })
  })

  it('the start of an HTTP server times out even if its stream opens and sends nothing', async () => {
    const { url } = await startHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    })
    const lease = leaseOf(testPool({ startTimeout: 300 }), { url, type: 'sse' })
    await expect(lease).rejects.toMatchObject({
      code: 'mcp_start_failed',
      message: expect.stringContaining('did not answer within 0.3 s'),
    })
  })

  it('the start of an HTTP server fails when the list of its tools takes too long', async () => {
    const held = heldClock(300)
    const { url } = await startScripted(
      () => undefined,
      () => undefined,
      () => {
        held.expire()
        return false
      },
    )
    await expect(leaseOf(testPool({ startTimeout: 300, clock: held.clock }), { url })).rejects.toMatchObject({
      code: 'mcp_start_failed',
      message: expect.stringContaining('did not list its tools: it took longer than 0.3 s'),
    })
  })

  it('a redirect to another origin is not followed, so that the headers are not sent there', async () => {
    const seen: unknown[] = []
    const thief = await startHttp((request, response) => {
      seen.push(request.headers['x-api-key'])
      response.writeHead(200).end()
    })
    const { url } = await startHttp((_request, response) =>
      response.writeHead(307, { location: thief.url }).end(),
    )
    const lease = leaseOf(testPool(), { url, headers: { 'x-api-key': 'k' } })
    await expect(lease).rejects.toMatchObject({ code: 'mcp_start_failed' })
    expect(seen).toEqual([])
  })
})

describe('an HTTP server that fails during a call', () => {
  it('an HTTP server receives the configured headers', async () => {
    const seen = new Set<unknown>()
    const { url } = await startScripted(
      (_message, response) => response.end(),
      (key) => seen.add(key),
    )
    await leaseOf(testPool(), { url, headers: { 'x-api-key': 'k' } })
    expect([...seen]).toEqual(['k'])
  })

  it('an HTTP server that cuts the connection fails the call', async () => {
    const { url } = await startScripted((_message, response) => response.destroy())
    const lease = await leaseOf(testPool(), { url })
    expect((await call(lease, 'act')).failure).toMatchObject({ code: 'mcp_closed' })
  })

  it.each([
    ['ends its stream without the answer', (response: ServerResponse) => response.end()],
    ['breaks its stream off', (response: ServerResponse) => response.destroy()],
  ])('an HTTP server fails the call when it %s', async (_what, end) => {
    const { url } = await startScripted((_message, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': under way\n\n', () => end(response))
    })
    const lease = await leaseOf(testPool(), { url })
    expect((await call(lease, 'act')).failure).toMatchObject({ code: 'mcp_closed' })
  })

  it.each([
    ['application/json', (id: unknown) => answer(id, 'z'.repeat(300_000))],
    ['text/event-stream', (id: unknown) => `data: ${answer(id, 'z'.repeat(300_000))}\n\n`],
  ])('an HTTP server whose response is too large fails only that call (%s)', async (type, body) => {
    const { url } = await startScripted((message, response) => {
      const large = (message.params['arguments'] as { readonly large?: boolean }).large === true
      const text = large ? body(message.id) : answer(message.id, 'small')
      response.writeHead(200, { 'content-type': large ? type : 'application/json' }).end(text)
    })
    const lease = await leaseOf(testPool({ maxMessageBytes: 200_000 }), { url })
    const [large, small] = await Promise.all([call(lease, 'act', { large: true }), call(lease, 'act')])
    expect(large.failure).toMatchObject({
      code: 'mcp_oversize',
      message: expect.stringContaining('larger than 200000 bytes'),
    })
    expect(resultText(small)).toBe('small')
  })

  it('an HTTP server may send many small events', async () => {
    const { url } = await startScripted((message, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let count = 0; count < 100; count += 1) response.write(`: ${'.'.repeat(1000)}\n\n`)
      response.end(`data: ${answer(message.id, 'done')}\n\n`)
    })
    const lease = await leaseOf(testPool({ maxMessageBytes: 5000 }), { url })
    expect(resultText(await call(lease, 'act'))).toBe('done')
  })

  it('an HTTP server answers again after it came back', async () => {
    let broken = true
    const { url } = await startScripted((message, response) => {
      if (broken) response.destroy()
      else response.writeHead(200, { 'content-type': 'application/json' }).end(answer(message.id, 'back'))
    })
    const lease = await leaseOf(testPool(), { url })
    for (let turn = 0; turn < 5; turn += 1)
      expect((await call(lease, 'act')).failure?.code).toBe('mcp_closed')
    broken = false
    expect(resultText(await call(lease, 'act'))).toBe('back')
  })

  it('an HTTP server with the oldest transport fails the call when its stream breaks', async () => {
    const { url, stop } = await startOlderSse()
    const lease = await leaseOf(testPool(), { url, type: 'sse' })
    const waiting = call(lease, 'wait')
    await call(lease, 'echo', { text: 'the call before is under way' })
    await stop()
    expect((await waiting).failure?.code).toBe('mcp_closed')
  })
})

type Message = Awaited<ReturnType<typeof readMessage>>

/** Starts a server of the older protocol with one tool, whose calls the test answers. */
function startScripted(
  onCall: (message: Message, response: ServerResponse) => void,
  onKey: (key: unknown) => void = () => undefined,
  lists: () => boolean = () => true,
): Promise<TestServer> {
  return startHttp(async (request, response) => {
    onKey(request.headers['x-api-key'])
    if (request.method !== 'POST') return response.writeHead(405).end()
    const message = await readMessage(request)
    if (message.id === undefined) return response.writeHead(202).end()
    if (message.method === 'tools/call') return onCall(message, response)
    if (message.method === 'tools/list' && !lists()) return undefined
    response.writeHead(200, { 'content-type': 'application/json' }).end(reply(message))
  })
}

function reply({ id, method, params }: Message): string {
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: params['protocolVersion'],
      capabilities: { tools: {} },
      serverInfo: { name: 'scripted', version: '1' },
    },
    'tools/list': { tools: [{ name: 'act', inputSchema: { type: 'object' } }] },
  }
  const result = results[method ?? '']
  const error = { code: -32601, message: 'Method not found' }
  return JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) })
}

function answer(id: unknown, text: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })
}
