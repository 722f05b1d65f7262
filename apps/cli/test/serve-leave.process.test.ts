import { describe, expect, it } from 'vitest'
import { serveFolder } from './serve-folder.ts'
import { project } from './team.ts'

/** Returns an agent whose model takes that long. */
const slowTeam = (delay: string): Readonly<Record<string, string>> => ({
  'one.md': '---\nname: One\ndescription: one\nmodel: script/script.yaml\n---\nDo it.\n',
  'script.yaml': `agents:\n  One:\n    - say: done\n      delay: ${delay}\n`,
})

const user = { role: 'user', content: 'go' }
const JSON_TYPE = { 'content-type': 'application/json' }
const MCP = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'One',
    arguments: { input: 'go', format: 'text' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}
const MCP_HEADERS = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'One',
}
const A2A_PART = { kind: 'text', text: 'go' }
const A2A_MESSAGE = { kind: 'message', messageId: 'm', role: 'user', parts: [A2A_PART] }
const a2a = (method: string): object => ({ jsonrpc: '2.0', id: 1, method, params: { message: A2A_MESSAGE } })
const AGUI = {
  threadId: 't',
  runId: 'r',
  messages: [{ id: '1', ...user }],
  tools: [],
  context: [],
  state: {},
}
const CHAT = { id: 'c', messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'go' }] }] }

/** One request over each protocol whose run ends with its connection. */
const REQUESTS: readonly (readonly [
  string,
  string,
  object | undefined,
  Readonly<Record<string, string>>?,
])[] = [
  ['REST, the answer', '/v1/One?q=go', undefined],
  ['REST, the report', '/v1/One', { q: 'go' }, { accept: 'application/json' }],
  ['REST, the events', '/v1/One', { q: 'go' }, { accept: 'text/event-stream' }],
  ['chat completions', '/openai/v1/chat/completions', { model: 'One', messages: [user] }],
  [
    'chat completions, streamed',
    '/openai/v1/chat/completions',
    { model: 'One', messages: [user], stream: true },
  ],
  ['responses', '/openai/v1/responses', { model: 'One', input: 'go' }],
  ['responses, streamed', '/openai/v1/responses', { model: 'One', input: 'go', stream: true }],
  ['messages', '/anthropic/v1/messages', { model: 'One', max_tokens: 9, messages: [user] }],
  [
    'messages, streamed',
    '/anthropic/v1/messages',
    { model: 'One', max_tokens: 9, messages: [user], stream: true },
  ],
  ['MCP', '/mcp', MCP, MCP_HEADERS],
  ['A2A', '/a2a/One', a2a('message/send')],
  ['A2A, streamed', '/a2a/One', a2a('message/stream')],
  ['AG-UI', '/agui/One', AGUI],
  ['AI SDK', '/api/chat', CHAT],
]

interface Listed {
  readonly runId: string
  readonly state: string
}

async function runs(url: string): Promise<readonly Listed[]> {
  const { runs: listed } = (await (await fetch(`${url}/api/runs`)).json()) as {
    readonly runs: readonly Listed[]
  }
  return listed
}

describe('the client of a served run', () => {
  it('a client that disconnects ends its run over every protocol, but not a detached run', async () => {
    const folder = await project(slowTeam('1h'))
    const { url } = await serveFolder(folder.path, '.', '--store', 'runs.db')
    const started = await fetch(`${url}/api/runs`, { method: 'POST', headers: JSON_TYPE, body: '{"q":"go"}' })
    const { runId: detached } = (await started.json()) as { readonly runId: string }
    for (const [protocol, path, body, headers = {}] of REQUESTS) {
      const before = await runs(url)
      const client = new AbortController()
      const asked = fetch(`${url}${path}`, {
        signal: client.signal,
        headers: { ...JSON_TYPE, ...headers },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      }).then(async (response) => `${response.status} ${await response.text()}`)
      const early = asked.catch(() => 'left')
      const begun = async (): Promise<boolean> => (await runs(url)).length > before.length
      await expect.poll(begun, { message: protocol }).toBe(true)
      client.abort()
      expect(await early).toBe('left')
      const states = async (): Promise<readonly string[]> =>
        (await runs(url)).filter(({ runId }) => runId !== detached).map(({ state }) => state)
      await expect.poll(async () => new Set(await states())).toEqual(new Set(['cancelled']))
    }
    expect(await runs(url)).toContainEqual(expect.objectContaining({ runId: detached, state: 'running' }))
  }, 120_000)
})

describe('a server that gets SIGTERM', () => {
  it('a server that gets SIGTERM lets active runs end and accepts no new ones', async () => {
    const folder = await project(slowTeam('2s'))
    const { program, url } = await serveFolder(folder.path, '.', '--store', 'runs.db')
    const asked = fetch(`${url}/v1/One?q=go`)
    await expect.poll(() => runs(url)).toHaveLength(1)
    program.process.kill('SIGTERM')
    const readiness = async (): Promise<number> => (await fetch(`${url}/readyz`)).status
    await expect.poll(readiness).toBe(503)
    expect((await fetch(`${url}/v1/One?q=go`)).status).toBe(503)
    expect(await (await asked).text()).toBe('done')
    expect(await program.ends()).toEqual([143, null])
  })
})
