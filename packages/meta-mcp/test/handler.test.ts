import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { deferred, fakeClock, sampleEvent } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMetaMcp, createMetaMcpHandler, type MetaMcpHandler } from '../src/index.ts'
import { fakeRunner } from './support/fake-runner.ts'
import { travel } from './support/travel.ts'

const URL_OF_AGENT = 'http://localhost:7788/mcp'
const CALL = {
  name: 'Travel_book_flight',
  arguments: { destination: 'Paris', departure_date: '2026-12-01' },
}

function handlerOf(runner = fakeRunner()): MetaMcpHandler {
  let ids = 0
  const next = (): string => `id-${(ids += 1)}`
  const meta = createMetaMcp({ agent: travel(), runner, newContextId: next, clock: fakeClock() })
  const handler = createMetaMcpHandler(meta, { newSessionId: next })
  onTestFinished(() => handler.close())
  return handler
}

async function connect(era: 'legacy' | 'modern', { fetch }: MetaMcpHandler): Promise<Client> {
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' }
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  onTestFinished(() => client.close())
  await client.connect(
    new StreamableHTTPClientTransport(new URL(URL_OF_AGENT), {
      fetch: (url, init) => fetch(withHost(new Request(url, init))),
    }),
  )
  return client
}

/** Adds the `Host` header that a socket sends. */
function withHost(request: Request, host = 'localhost:7788'): Request {
  request.headers.set('host', host)
  return request
}

describe.each(['legacy', 'modern'] as const)('%s client over HTTP', (era) => {
  it('an MCP client over HTTP lists and calls tools', async () => {
    const client = await connect(era, handlerOf())
    expect((await client.listTools()).tools).toHaveLength(1)
    const result = await client.callTool(CALL)
    expect(result.content).toMatchObject([{ text: expect.stringContaining('flight to Paris') }])
  })

  it('an MCP client over HTTP stops the run when it cancels the call', async () => {
    const stopped = deferred<unknown>()
    const runner = fakeRunner(async ({ options: { signal } }) => {
      signal?.addEventListener('abort', () => stopped.resolve(signal.reason))
      await stopped.promise
      return { outcome: 'cancelled' }
    })
    const client = await connect(era, handlerOf(runner))
    const cancel = new AbortController()
    const settled = Promise.allSettled([client.callTool(CALL, { signal: cancel.signal })])
    await expect.poll(() => runner.runs.length).toBe(1)
    cancel.abort()
    expect(await stopped.promise).toMatchObject({ code: 'run_cancelled' })
    expect(await settled).toMatchObject([{ status: 'rejected' }])
  })

  it('an MCP client over HTTP gets progress of the run', async () => {
    const runner = fakeRunner(({ options }) => {
      options.onEvent?.(sampleEvent('turn-start', { turn: 1 }))
      return {}
    })
    const client = await connect(era, handlerOf(runner))
    const heard: unknown[] = []
    await client.callTool(CALL, { onprogress: (progress) => void heard.push(progress) })
    expect(heard).toEqual([{ progress: 1, message: 'Agent calls its model, turn 1' }])
  })
})

describe('HTTP request to the meta-MCP handler', () => {
  const ask = (headers: Readonly<Record<string, string>>): Promise<Response> => {
    const request = new Request(URL_OF_AGENT, { method: 'POST', body: '{}', headers })
    return handlerOf().fetch(request)
  }

  it.each(['evil.example', 'evil.example:7788', 'localhost.evil.example', '169.254.169.254'])(
    'a request for the host %s is rejected',
    async (host) => {
      expect((await ask({ host })).status).toBe(403)
    },
  )

  it.each(['http://evil.example', 'null', 'https://localhost.evil.example'])(
    'a request from the page %s is rejected',
    async (origin) => {
      expect((await ask({ host: 'localhost:7788', origin })).status).toBe(403)
    },
  )

  it('a request without a host is rejected', async () => {
    expect((await ask({})).status).toBe(403)
  })

  it('a request for an unknown session gets an error that says so', async () => {
    const headers = { host: 'localhost', 'content-type': 'application/json', 'mcp-session-id': 'id-1' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const response = await handlerOf().fetch(new Request(URL_OF_AGENT, { method: 'POST', body, headers }))
    expect(response.status).toBe(404)
  })

  it('a request that neither opens a session nor names one is rejected', async () => {
    const headers = {
      host: '127.0.0.1:7788',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const response = await handlerOf().fetch(new Request(URL_OF_AGENT, { method: 'POST', body, headers }))
    expect(response.status).toBe(400)
  })
})

describe('changed agent', () => {
  it.each(['legacy', 'modern'] as const)('a connected %s client sees the change of an agent', async (era) => {
    let ids = 0
    const next = (): string => `id-${(ids += 1)}`
    const runner = fakeRunner()
    const meta = createMetaMcp({
      agent: travel(),
      runner,
      newContextId: next,
      clock: fakeClock(),
      isLive: true,
    })
    const handler = createMetaMcpHandler(meta, { newSessionId: next })
    onTestFinished(() => handler.close())
    const client = await connect(era, handler)
    expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: true } })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['Travel_book_flight'])
    const [tool] = travel().exports.tools
    if (tool === undefined) throw new TypeError('there is a tool')
    meta.update(travel({ exports: { tools: [{ ...tool, name: 'book_train' }] } }))
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['Travel_book_train'])
    expect(() => meta.update(travel({ exports: { tools: [] } }))).toThrowError(/exports.tools/u)
    expect(meta.tools.map(({ name }) => name)).toEqual(['book_train'])
  })
})
