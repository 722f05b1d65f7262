import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { listMcpTools } from '@troupe/mcp'
import { scriptedModel } from '@troupe/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { agentA, openHost } from './support/open-host.ts'

it('an agent uses a client and a server object of version 1 of the MCP SDK under its own rules', async () => {
  const server = new McpServer({ name: 'bank', version: '1.0.0' })
  const paid: string[] = []
  server.registerTool('balance', { inputSchema: { owner: z.string() } }, ({ owner }) => ({
    content: [{ type: 'text', text: `${owner} has 42.` }],
  }))
  server.registerTool('pay', { inputSchema: { to: z.string() } }, ({ to }) => {
    paid.push(to)
    return { content: [{ type: 'text', text: 'paid' }] }
  })
  const client = new Client({ name: 'app', version: '1.0.0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await server.connect(far)
  await client.connect(near)
  onTestFinished(() => client.close())
  const functionTools = await listMcpTools(client, { server: 'bank' })
  const model = scriptedModel((prompt) =>
    prompt.at(-1)?.role === 'tool'
      ? { text: JSON.stringify(prompt.at(-1)?.content) }
      : {
          calls: [
            { tool: 'bank__balance', args: { owner: 'Ada' } },
            { tool: 'bank__pay', args: { to: 'Eve' } },
          ],
        },
  )
  const agent = agentA({ functionTools, permissions: { deny: ['bank__pay'] } })
  const host = await openHost([agent], { 'test/a': model })
  expect(host.plan().problems).toEqual([])
  const { output } = await host.run('A', 'go')
  expect(output.text).toContain('Ada has 42.')
  expect(paid).toEqual([])
})
