import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { isJsonObject } from '@troupe/schema'
import { startFakeOpenAI, type FakeProvider } from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toNodeArgs, watchProgram, type Program } from './start-program.ts'
import { project } from './team.ts'
import { travelAgent } from './travel.ts'

const INFO = { name: 'test', version: '1.0.0' }
const CALL = {
  name: 'Travel_book_flight',
  arguments: { destination: 'Paris, France', departure_date: '2026-12-01' },
}
const BOOKED =
  'Booked: The user wants to book a flight to Paris, France on 2026-12-01, please book accordingly'

function startServer(cwd: string, ...words: readonly string[]): Program {
  return watchProgram(
    spawn(process.execPath, [...toNodeArgs(), 'mcp', 'travel.md', ...words], {
      cwd,
      env: { PATH: process.env['PATH'], HOME: cwd },
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  )
}

function serverOf(cwd: string) {
  return {
    command: process.execPath,
    args: [...toNodeArgs(), 'mcp', 'travel.md', '--no-store'],
    cwd,
    env: { HOME: cwd },
    stderr: 'pipe' as const,
  }
}

function newClient(era: 'legacy' | 'modern'): Client {
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' }
  const client = new Client(INFO, { versionNegotiation: { mode } })
  onTestFinished(() => client.close())
  return client
}

async function connect(era: 'legacy' | 'modern', cwd: string): Promise<Client> {
  const client = newClient(era)
  await client.connect(new StdioClientTransport(serverOf(cwd)))
  return client
}

describe('book_flight over stdio', () => {
  it.each(['legacy', 'modern'] as const)(
    `book_flight is listed and called over stdio by a %s client ${verifies('D20', 'D21', 'D24')}`,
    async (era) => {
      const folder = await project(travelAgent())
      const client = await connect(era, folder.path)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(['Travel_book_flight'])
      const result = await client.callTool(CALL)
      expect(result.content).toEqual([{ type: 'text', text: BOOKED }])
    },
  )

  it(`book_flight is listed and called over stdio by the previous SDK generation ${verifies('D24')}`, async () => {
    const folder = await project(travelAgent())
    const client = new OldClient(INFO)
    onTestFinished(() => client.close())
    await client.connect(new OldTransport(serverOf(folder.path)))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['Travel_book_flight'])
    const result = await client.callTool(CALL)
    expect(result.content).toEqual([{ type: 'text', text: BOOKED }])
  })
})

describe('stdout', () => {
  it(`stdout of troupe mcp carries only protocol messages, whatever card functions print ${verifies('D32')}`, async () => {
    const script = '- {call: [{tool: shout}]}\n- {say: Booked.}'
    const folder = await project(travelAgent({ script }))
    const program = startServer(folder.path, '--verbose')
    program.process.stdin?.write(`${OPENING}\nthis is no message\n${callLine(2)}\n`)
    await program.until(() => lines(program).some((line) => line['id'] === 2))
    program.process.stdin?.end()
    expect(await program.ends()).toEqual([0, null])
    expect(lines(program).every((line) => line['jsonrpc'] === '2.0')).toBe(true)
    expect(program.out()).not.toContain('noise')
    for (const noise of ['while it is loaded', 'written', 'logged', 'warned'])
      expect(program.err()).toContain(noise)
    expect(program.err()).toContain('Travel 1.2.0 serves Travel_book_flight')
    expect(program.err()).toContain('calls shout')
  })

  it('stdout of troupe mcp stays empty if the card cannot be loaded', async () => {
    const folder = await project(travelAgent({ fields: 'nonsense: 1' }))
    const program = startServer(folder.path)
    expect(await program.ends()).toEqual([2, null])
    expect(program.out()).toBe('')
    expect(program.err()).toContain('card_unknown_key')
  })

  it('stdout of troupe mcp stays clean if a function crashes the process', async () => {
    const folder = await project({
      ...travelAgent({ script: '- {call: [{tool: shout}]}' }),
      'noise.mjs': "export function shout() { setTimeout(() => { throw new Error('late crash') }) }\n",
    })
    const program = startServer(folder.path)
    program.process.stdin?.write(`${OPENING}\n${callLine(2)}\n`)
    const [code] = await program.ends()
    expect(code).not.toBe(0)
    expect(lines(program).every((line) => line['jsonrpc'] === '2.0')).toBe(true)
    expect(program.err()).toContain('late crash')
  })
})

describe.each(['legacy', 'modern'] as const)('a %s client that cancels its call', (era) => {
  it('a %s client that cancels its call over stdio stops the model call', async () => {
    const { provider, files } = await slowModel()
    const folder = await project(files)
    const client = await connect(era, folder.path)
    expect(await cancelCall(client, provider)).toBe('rejected')
  })

  it('a %s client that cancels its call over HTTP stops the model call', async () => {
    const { provider, files } = await slowModel()
    const folder = await project(files)
    const program = startServer(folder.path, '--http', '--port', '0')
    await program.says('/mcp\n')
    const client = newClient(era)
    const url = new URL(/http:\S+/u.exec(program.err())?.[0] ?? '')
    await client.connect(new StreamableHTTPClientTransport(url))
    expect(await cancelCall(client, provider)).toBe('rejected')
  })
})

/** Serves the agent with a model that never answers. */
async function slowModel(): Promise<{
  readonly provider: FakeProvider
  readonly files: Readonly<Record<string, string>>
}> {
  const provider = await startFakeOpenAI({ answers: () => new Promise(() => undefined) })
  onTestFinished(() => provider.close())
  const config = { providers: { openai: { apiKey: 'key', baseURL: provider.baseURL } } }
  const files = { ...travelAgent({ model: 'openai/gpt-5-mini' }), 'troupe.json': JSON.stringify(config) }
  return { provider, files }
}

/** Cancels a call while its model is working, and waits for its socket to close. Returns how the call ended. */
async function cancelCall(client: Client, provider: FakeProvider): Promise<string> {
  const cancel = new AbortController()
  const settled = Promise.allSettled([client.callTool(CALL, { signal: cancel.signal })])
  await expect.poll(() => provider.requests.length).toBe(1)
  cancel.abort()
  await expect.poll(() => provider.requests[0]?.isAbandoned).toBe(true)
  const [{ status }] = await settled
  return status
}

const OPENING = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO },
  },
  { method: 'notifications/initialized' },
]
  .map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }))
  .join('\n')

function callLine(id: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: CALL })
}

function lines(program: Program): readonly Readonly<Record<string, unknown>>[] {
  return program
    .out()
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const message: unknown = JSON.parse(line)
      return isJsonObject(message) ? message : {}
    })
}

it(`--audit records every call, and a call that cannot be recorded fails ${verifies('D53')}`, async () => {
  const folder = await project(travelAgent())
  const client = newClient('modern')
  const server = serverOf(folder.path)
  const call = async (file: string) => {
    const args = [...server.args, '--audit', file]
    await client.connect(new StdioClientTransport({ ...server, args }))
    const result = await client.callTool(CALL)
    await client.close()
    return result
  }
  expect((await call('calls.jsonl')).isError).not.toBe(true)
  const lines = readFileSync(join(folder.path, 'calls.jsonl'), 'utf8').trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { agent: 'Travel', tool: 'book_flight', version: '1.2.0', outcome: 'completed' },
  ])
  expect(await call('no/such/folder.jsonl')).toMatchObject({
    isError: true,
    structuredContent: { code: 'audit_failed' },
  })
})

describe('troupe mcp --watch', () => {
  it.each(['legacy', 'modern'] as const)(
    'troupe mcp --watch serves a connected %s client the tools of the edited card, and does not apply an invalid edit',
    async (era) => {
      const folder = await project(travelAgent())
      const client = newClient(era)
      const server = serverOf(folder.path)
      const transport = new StdioClientTransport({ ...server, args: [...server.args, '--watch'] })
      await client.connect(transport)
      const file = join(folder.path, 'travel.md')
      const card = readFileSync(file, 'utf8')
      const names = async () => (await client.listTools()).tools.map(({ name }) => name)
      writeFileSync(file, card.replace('name: book_flight', 'name: book_train'))
      await expect.poll(names).toEqual(['Travel_book_train'])
      const result = await client.callTool({ ...CALL, name: 'Travel_book_train' })
      expect(result.content).toEqual([{ type: 'text', text: BOOKED }])
      writeFileSync(file, card.replace('name: Travel', 'nime: Travel'))
      let told = ''
      transport.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()))
      await expect.poll(() => told).toContain('the previous team stays in use')
      expect(await names()).toEqual(['Travel_book_train'])
    },
    30_000,
  )
})
