import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { toolServerCommand } from '../servers/tool-server-command.ts'
import { REWRITE_TOOL, STATUS_TOOL, type ServerStatus } from '../servers/tool-server-status.ts'
import { TOOL } from './subject.ts'
import type { ToolHost } from './tool-host.ts'

/** The client of the official SDK that ours is made with, as its documentation shows it. */
export async function sdkTools(tools: number): Promise<ToolHost> {
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    // the newest protocol, and what ours offers, as every request says so and the server reads it
    { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }))
  await client.connect(new StdioClientTransport(toolServerCommand(tools)))
  await client.listTools()
  const callOnce = async (name = TOOL): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: {} })
    return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  }
  return {
    call: (count) => Promise.all(Array.from({ length: count }, () => callOnce())),
    status: async () => JSON.parse(await callOnce(STATUS_TOOL)) as ServerStatus,
    rewrite: async () => void (await client.callTool({ name: REWRITE_TOOL, arguments: {} })),
    list: async () => (await client.listTools()).tools.map(({ description = '' }) => description),
    close: () => client.close(),
  }
}
