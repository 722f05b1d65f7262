// An MCP server over stdio. Its argument says how many tools it has beside those that the bench itself calls.
import { Server, type CallToolResult, type Tool } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { TOOL } from '../subjects/subject.ts'
import { OFFERED, offeredJson, offeredName } from '../subjects/offered-tool.ts'
import { REWRITE_TOOL, STATUS_TOOL, type ServerStatus } from './tool-server-status.ts'

const count = Number(process.argv[2] ?? 0)
let lists = 0
let version = 0

serveStdio(() => {
  const server = new Server(
    { name: 'bench', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  )
  server.setRequestHandler('tools/list', () => {
    lists += 1
    return { tools: listTools() }
  })
  server.setRequestHandler('tools/call', async ({ params }) => {
    if (params.name === STATUS_TOOL) return said(JSON.stringify(status()))
    if (params.name === REWRITE_TOOL) {
      version += 1
      await server.sendToolListChanged()
    }
    return said('ok')
  })
  return server
})

function status(): ServerStatus {
  const { user, system } = process.cpuUsage()
  return { pid: process.pid, lists, cpu: user + system }
}

function said(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}

/** Every description says the version, so that a new one leaves nothing as it was. */
function listTools(): Tool[] {
  const plain = [TOOL, STATUS_TOOL, REWRITE_TOOL].map((name) => describe(name))
  const offered = Array.from({ length: count }, (_, index) => ({
    ...describe(offeredName(index)),
    inputSchema: SCHEMA,
    outputSchema: SCHEMA,
  }))
  return [...plain, ...offered]
}

const SCHEMA = offeredJson() as Tool['inputSchema']

function describe(name: string): Tool {
  return { name, description: `${OFFERED} Version ${version}.`, inputSchema: { type: 'object' } }
}
