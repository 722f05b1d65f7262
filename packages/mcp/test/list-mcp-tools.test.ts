import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { ToolContext, ToolDefinition, ToolResult } from '@troupe/schema'
import { deferred } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { listMcpTools } from '../src/index.ts'

/** Connects a client of version 1 of the SDK to a server object of the same version. */
async function connect(server: McpServer): Promise<Client> {
  const client = new Client({ name: 'app', version: '1.0.0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await server.connect(far)
  await client.connect(near)
  onTestFinished(() => client.close())
  return client
}

function createBank(): McpServer {
  const server = new McpServer({ name: 'bank', version: '1.0.0' })
  server.registerTool(
    'balance',
    {
      description: 'Returns a balance.',
      inputSchema: { owner: z.string() },
      outputSchema: { amount: z.number() },
      annotations: { readOnlyHint: true },
    },
    ({ owner }) => ({
      content: [{ type: 'text', text: `${owner} has 42.` }],
      structuredContent: { amount: 42 },
    }),
  )
  server.registerTool('close', { annotations: { destructiveHint: true } }, () => ({
    isError: true,
    content: [{ type: 'text', text: 'It is not empty.' }],
  }))
  return server
}

/** Calls a tool with a signal. */
async function call(
  tools: readonly ToolDefinition[],
  name: string,
  args: Parameters<ToolDefinition['execute']>[0],
  { signal = new AbortController().signal, progress = () => undefined }: Partial<ToolContext> = {},
): Promise<ToolResult> {
  const tool = tools.find((each) => each.name === name)
  if (tool === undefined) throw new TypeError(`There is no tool ${name}.`)
  return (await tool.execute(args, { signal, progress } as ToolContext)) as ToolResult
}

describe('listMcpTools', () => {
  it('the tools of a server of version 1 of the SDK have the names and properties of MCP tools', async () => {
    const tools = await listMcpTools(await connect(createBank()), { server: 'bank' })
    expect(tools).toMatchObject([
      {
        name: 'bank__balance',
        source: 'mcp',
        server: 'bank',
        description: 'Returns a balance.',
        inputSchema: { type: 'object', required: ['owner'] },
        effect: 'read',
      },
      { name: 'bank__close', effect: 'once', requiresApproval: true },
    ])
  })

  it('a call is sent over the client, and its result or error is returned', async () => {
    const tools = await listMcpTools(await connect(createBank()), { server: 'bank' })
    expect(await call(tools, 'bank__balance', { owner: 'Ada' })).toMatchObject({
      outcome: 'completed',
      content: [{ type: 'text', text: 'Ada has 42.' }],
      structured: { amount: 42 },
    })
    expect(await call(tools, 'bank__close', {})).toMatchObject({
      outcome: 'failed',
      failure: { code: 'tool_failed', message: 'It is not empty.' },
    })
  })

  it('cancelling a call cancels the request, and its progress is reported', async () => {
    const started = deferred()
    const cancelled = deferred()
    const server = new McpServer({ name: 'slow', version: '1.0.0' })
    server.registerTool('wait', {}, async ({ signal, sendNotification, _meta }) => {
      signal.addEventListener('abort', () => cancelled.resolve())
      const progressToken = _meta?.progressToken ?? ''
      await sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 2 },
      })
      started.resolve()
      await cancelled.promise
      return { content: [] }
    })
    const tools = await listMcpTools(await connect(server), { server: 'slow' })
    const stop = new AbortController()
    const reported = deferred<string>()
    const running = call(
      tools,
      'slow__wait',
      {},
      { signal: stop.signal, progress: (text) => reported.resolve(text) },
    )
    await started.promise
    expect(await reported.promise).toBe('1/2')
    stop.abort()
    await cancelled.promise
    expect((await running).outcome).toBe('cancelled')
  })

  it('a client that is not connected lists no tools and says why', async () => {
    const client = await connect(createBank())
    await client.close()
    await expect(listMcpTools(client, { server: 'bank' })).rejects.toMatchObject({
      failure: { code: 'mcp_start_failed', message: expect.stringContaining('Not connected') },
    })
  })

  it('requiresApproval, capabilities and toolTimeout apply as in a server definition', async () => {
    const options = {
      server: 'bank',
      requiresApproval: ['bal*'],
      capabilities: ['egress'],
      toolTimeout: 5,
    } as const
    const [balance] = await listMcpTools(await connect(createBank()), options)
    expect(balance).toMatchObject({ requiresApproval: true, capabilities: ['egress'], timeoutMs: 5 })
  })
})
