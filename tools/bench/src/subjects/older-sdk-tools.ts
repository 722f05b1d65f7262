import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { toolServerCommand } from '../servers/tool-server-command.ts'
import { REWRITE_TOOL, STATUS_TOOL, type ServerStatus } from '../servers/tool-server-status.ts'
import { TOOL } from './subject.ts'
import type { ToolHost } from './tool-host.ts'

/** The client of version 1 of the official SDK, which most programs have: it compiles every output schema of a list. */
export async function olderSdkTools(tools: number): Promise<ToolHost> {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  await client.connect(new StdioClientTransport(toolServerCommand(tools)))
  const callOnce = async (name = TOOL): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: {} })
    return (content as readonly { readonly text: string }[]).map(({ text }) => text).join('')
  }
  return {
    call: (count) => Promise.all(Array.from({ length: count }, () => callOnce())),
    status: async () => JSON.parse(await callOnce(STATUS_TOOL)) as ServerStatus,
    rewrite: async () => void (await client.callTool({ name: REWRITE_TOOL, arguments: {} })),
    list: async () => (await client.listTools()).tools.map(({ description = '' }) => description),
    close: () => client.close(),
  }
}
