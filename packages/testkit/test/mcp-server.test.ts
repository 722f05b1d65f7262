import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { startMcpServer } from '../src/index.ts'

it('an MCP server for tests lists its tools, checks arguments and records calls', async () => {
  const server = await startMcpServer({
    tools: {
      find: {
        description: 'Finds a customer.',
        inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        call: ({ name }) => ({ id: 7, name: name ?? null }),
      },
      say: { call: () => 'hello' },
      fail: {
        call: () => {
          throw new Error('The database is down.')
        },
      },
    },
  })
  const client = new Client({ name: 'test', version: '1.0.0' })
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
    const { tools } = await client.listTools()
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['find', 'Finds a customer.'],
      ['say', 'say'],
      ['fail', 'fail'],
    ])
    const found = await client.callTool({ name: 'find', arguments: { name: 'Ada' } })
    expect(found.content).toEqual([{ type: 'text', text: '{"id":7,"name":"Ada"}' }])
    const invalid = await client.callTool({ name: 'find', arguments: { name: 1 } })
    expect(invalid.isError).toBe(true)
    const failed = await client.callTool({ name: 'fail', arguments: {} })
    expect(failed).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'The database is down.' }],
    })
    expect(server.calls).toEqual([
      { tool: 'find', args: { name: 'Ada' } },
      { tool: 'fail', args: {} },
    ])
  } finally {
    await client.close()
    await server.close()
  }
})
