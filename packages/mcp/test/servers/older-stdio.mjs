import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'older-server', version: '1.0.0' })

server.registerTool(
  'echo',
  { description: 'Repeats its input.', inputSchema: { text: z.string() } },
  ({ text }) => ({ content: [{ type: 'text', text }] }),
)
server.registerTool('learn', { description: 'Adds a tool.' }, () => {
  server.registerTool('learned', { description: 'New.' }, () => ({ content: [] }))
  return { content: [] }
})
server.registerTool('ask', { description: 'Asks the client for its roots.' }, async () => {
  try {
    await server.server.listRoots()
    return { content: [{ type: 'text', text: 'got roots' }] }
  } catch (error) {
    return { content: [{ type: 'text', text: String(error.message) }] }
  }
})
server.registerTool('process', { description: 'Says who it is.' }, () => ({
  content: [{ type: 'text', text: JSON.stringify({ pid: process.pid }) }],
}))

await server.connect(new StdioServerTransport())
