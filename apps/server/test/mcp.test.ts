import { defineAgent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { deferred, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { CLIENTS, connectMcp, INFO } from './support/connect-mcp.ts'
import { oneAgent } from './support/one-agent.ts'
import { rawRequest } from './support/raw-request.ts'
import { readEvents } from './support/read-events.ts'
import { leadAndClerk, PARROT, serveTeam } from './support/serve-team.ts'

const HOUR = { type: 'object', properties: { hour: { type: 'integer' } }, required: ['hour'] } as const

describe.each(CLIENTS)('%s client of /mcp', (kind) => {
  it(`an MCP client sees every agent as a tool ${verifies('C76', 'R11')}`, async () => {
    const team = await serveTeam(leadAndClerk())
    const client = await connectMcp(kind, team)
    expect(client.getServerVersion()).toMatchObject({ name: 'Lead', version: '0.0.0' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['Lead', 'Leads.'],
      ['Clerk', 'Counts.'],
    ])
    expect(tools[0]?.inputSchema).toMatchObject({ required: ['input', 'format'] })
    const result = await client.call({ input: 'How many?', format: 'text' }, 'Lead')
    expect(result.content).toEqual([{ type: 'text', text: 'There are 3.' }])
    expect(result['_meta']).toMatchObject({ outcome: 'completed', runId: expect.stringMatching(/^run_/u) })
  })

  it(`a tool call must name the format, and its schema for JSON ${verifies('C77', 'R11')}`, async () => {
    const client = await connectMcp(kind, await serveTeam(oneAgent(() => ({ text: '{"hour":5}' }))))
    const missing = await client.call({ input: 'Hi' })
    expect(missing).toMatchObject({ isError: true, structuredContent: { code: 'tool_bad_arguments' } })
    const bare = await client.call({ input: 'Hi', format: 'json' })
    expect(bare).toMatchObject({ isError: true, structuredContent: { code: 'missing_schema' } })
    const result = await client.call({ input: 'Hi', format: 'json', schema: HOUR })
    expect(result).toMatchObject({ structuredContent: { hour: 5 }, content: [{ text: '{"hour":5}' }] })
  })

  it('an MCP call continues the conversation of an earlier result', async () => {
    const client = await connectMcp(
      kind,
      await serveTeam(oneAgent((words) => ({ text: String(words.length) }))),
    )
    const first = await client.call({ input: 'a', format: 'text' })
    const contextId = first['_meta']?.['contextId']
    const second = await client.call({ input: 'b', format: 'text', contextId })
    expect([first, second].map(({ content }) => content[0]?.text)).toEqual(['2', '4'])
    expect(second['_meta']).toMatchObject({ contextId })
    const unknown = await client.call({ input: 'b', format: 'text', contextId: 'none' })
    expect(unknown).toMatchObject({ isError: true, structuredContent: { code: 'session_unknown' } })
    const empty = await client.call({ input: 'b', format: 'text', contextId: '' })
    expect(empty).toMatchObject({ isError: true, structuredContent: { code: 'tool_bad_arguments' } })
  })

  it('a cancelled MCP call cancels the run', async () => {
    const begun = deferred()
    const stopped = deferred()
    const slow = scriptedModel((_, { options: { abortSignal } }) => {
      begun.resolve()
      abortSignal?.addEventListener('abort', () => stopped.resolve())
      return stopped.promise.then(() => ({ text: 'too late' }))
    })
    const agent = defineAgent({ name: 'One', description: 's', instruction: 's', model: 'test/slow' })
    const client = await connectMcp(kind, await serveTeam({ cards: [agent], models: { slow } }))
    const cancel = new AbortController()
    const settled = Promise.allSettled([
      client.call({ input: 'Hi', format: 'text' }, 'One', { signal: cancel.signal }),
    ])
    await begun.promise
    cancel.abort()
    await stopped.promise
    expect(await settled).toMatchObject([{ status: 'rejected' }])
  })

  it.skipIf(kind === 'sse' || kind === 'ws')(
    'the exported tools of an agent are served at its own path',
    async () => {
      const travel = defineAgent({
        name: 'Travel',
        description: 'Books.',
        instruction: 'Repeat.',
        model: 'passthrough',
        exports: {
          tools: [
            {
              name: 'book',
              description: 'Books a flight.',
              parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
              prompt: 'Book a flight to {to}.',
            },
          ],
        },
      })
      const team = await serveTeam({ cards: [travel] })
      const client = await connectMcp(kind, team, { path: '/mcp/agents/Travel' })
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['Travel_book'])
      const result = await client.call({ to: 'Rome' }, 'Travel_book')
      expect(result.content).toEqual([{ type: 'text', text: 'Book a flight to Rome.' }])
    },
  )
})

it('an unknown agent, or one without exported tools, has no MCP path', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  for (const [name, status, code] of [
    ['Parrot', 400, 'exports_no_tools'],
    ['Nobody', 404, 'agent_unknown'],
  ] as const) {
    const response = await fetch(`${url}/mcp/agents/${name}`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code } })
  }
})

it('sessions of legacy MCP clients belong to one principal', async () => {
  const tokens = [
    { token: 'token-of-ada-0001', principal: 'ada' },
    { token: 'token-of-ben-0001', principal: 'ben' },
  ]
  const { url } = await serveTeam({ cards: [PARROT], tokens })
  const headers = (token: string) => ({
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO }
  const opened = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: headers('token-of-ada-0001'),
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
  const session = opened.headers.get('mcp-session-id') ?? ''
  await opened.text()
  const list = (token: string) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...headers(token), 'mcp-session-id': session },
      body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }),
    })
  expect((await list('token-of-ada-0001')).status).toBe(200)
  expect((await list('token-of-ben-0001')).status).toBe(404)
})

describe('MCP over WebSocket', () => {
  const open = (address: string, headers: Readonly<Record<string, string>> = {}): Promise<string> =>
    new Promise((resolve) => {
      const socket = new WebSocket(address, { headers })
      onTestFinished(() => socket.terminate())
      socket.on('open', () => resolve('open'))
      socket.on('unexpected-response', (_, response) => resolve(String(response.statusCode)))
      socket.on('error', () => resolve('error'))
    })

  it('a WebSocket request passes the same checks as other requests', async () => {
    const tokens = [{ token: 'token-of-ada-0001', principal: 'ada' }]
    const { url } = await serveTeam({ cards: [PARROT], tokens })
    const address = url.replace('http', 'ws')
    const token = { authorization: 'Bearer token-of-ada-0001' }
    expect(await open(`${address}/mcp/ws`, token)).toBe('open')
    expect(await open(`${address}/mcp/ws`)).toBe('401')
    expect(await open(`${address}/mcp/ws`, { ...token, origin: 'http://evil.example' })).toBe('403')
    expect(await open(`${address}/mcp/ws`, { ...token, host: 'evil.example' })).toBe('403')
    expect(await open(`${address}/nowhere`, token)).toBe('404')
  })
})

it('messages for the stream of another principal, or for an unknown stream, are rejected', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const response = await fetch(`${url}/mcp/sse?sessionId=none`, { method: 'POST', body: '{}' })
  expect(response.status).toBe(404)
})

const REFUSED = [
  ['null', null, -32_600],
  ['{', null, -32_700],
  ['{"id":9,"method":"tools/list"}', 9, -32_600],
  ['[{"jsonrpc":"2.0","id":9,"method":"ping"}]', null, -32_600],
  ['{"jsonrpc":"2.0","id":9,"id":10,"method":"ping"}', null, -32_700],
] as const

describe('invalid MCP messages', () => {
  it('a WebSocket client gets an error for an invalid message and can continue', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const socket = new WebSocket(`${url.replace('http', 'ws')}/mcp/ws`, 'mcp')
    onTestFinished(() => socket.terminate())
    const heard: unknown[] = []
    socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString())))
    await new Promise((resolve) => socket.once('open', resolve))
    for (const [text] of REFUSED) socket.send(text)
    socket.send('{"jsonrpc":"2.0","id":11,"method":"ping"}')
    await expect.poll(() => heard.length).toBe(REFUSED.length + 1)
    expect(heard).toMatchObject([
      ...REFUSED.map(([, id, code]) => ({ jsonrpc: '2.0', id, error: { code } })),
      { id: 11, result: {} },
    ])
  })

  it('an invalid or oversized message is rejected outside of a stream', async () => {
    const { url } = await serveTeam({ cards: [PARROT], limits: { maxBodyBytes: 1000 } })
    const leave = new AbortController()
    onTestFinished(() => leave.abort())
    const stream = await fetch(`${url}/mcp/sse`, { signal: leave.signal })
    const opened = await readEvents(stream).next()
    const place = `${url}${String(opened.value?.data)}`
    for (const [body, id, code] of REFUSED) {
      const response = await fetch(place, { method: 'POST', body })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id, error: { code } })
    }
    const headers = { 'transfer-encoding': 'chunked' }
    const large = await rawRequest(place, { method: 'POST', headers, body: 'x'.repeat(2000) })
    expect(large.status).toBe(413)
  })
})

it('a WebSocket client has the same request limit as other clients', async () => {
  const { url } = await serveTeam({ cards: [PARROT], limits: { requestsPerMinute: 3 } })
  const address = `${url.replace('http', 'ws')}/mcp/ws`
  const socket = new WebSocket(address, 'mcp')
  onTestFinished(() => socket.terminate())
  const heard: unknown[] = []
  socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString())))
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await new Promise((resolve) => socket.once('open', resolve))
  for (const id of [1, 2]) {
    socket.send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
    await expect.poll(() => heard).toMatchObject([1, 2].slice(0, id).map((one) => ({ id: one })))
  }
  socket.send('{"jsonrpc":"2.0","id":3,"method":"ping"}')
  expect(await closed).toBe(1013)
  expect(heard).toHaveLength(2)
  const again = new WebSocket(address, 'mcp')
  const status = new Promise((resolve) => {
    again.once('unexpected-response', (_, { statusCode, headers }) =>
      resolve([statusCode, headers['retry-after']]),
    )
  })
  again.on('error', () => {
    // reported with the answer
  })
  expect(await status).toEqual([429, '1'])
})

it('a stream stays a stream for requests with an Idempotency-Key', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const version = '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { notifications: { toolsListChanged: true }, _meta: meta }
  const leave = new AbortController()
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    signal: leave.signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': 'subscriptions/listen',
      'idempotency-key': 'key-1',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  leave.abort()
})
