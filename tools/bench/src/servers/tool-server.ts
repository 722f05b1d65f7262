// An MCP server over stdio with two tools: one returns `ok`, the other returns how often the first one was called.
import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { COUNT_TOOL, TOOL } from '../script.ts'

let calls = 0

serveStdio(() => {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: [TOOL, COUNT_TOOL].map((name) => ({
      name,
      description: 'A tool of the bench.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    })),
  }))
  server.setRequestHandler('tools/call', ({ params }) => {
    if (params.name === COUNT_TOOL) return { content: [{ type: 'text', text: String(calls) }] }
    calls += 1
    return { content: [{ type: 'text', text: 'ok' }] }
  })
  return server
})
