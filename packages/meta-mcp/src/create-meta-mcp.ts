import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { isJsonObject, type AgentDefinition, type AgentRunner } from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { callExportedTool, type CallServices } from './call-exported-tool.ts'
import type { CallRecord } from './call-record.ts'
import { describeTool } from './describe-tool.ts'
import type { ExportedTool } from './exported-tool.ts'
import { readExportedTools } from './read-exported-tools.ts'

/** What an agent is served with. */
export interface MetaMcpOptions {
  readonly agent: AgentDefinition
  /** Runs it; a host does. */
  readonly runner: Pick<AgentRunner, 'run'>
  /** A new id for each call, unique and not to be guessed. */
  newContextId(): string
  /** Told of every call when it has ended. */
  onCall?(record: CallRecord): void
}

/** The exported tools of one agent, to be served over any transport. */
export interface MetaMcp {
  /** In the order of the card. */
  readonly tools: readonly ExportedTool[]
  /** A server for one connection. It speaks both protocol eras. */
  createServer(): Server
}

/** Reads and checks the tools that the agent offers (D25). Throws `exports_no_tools` and `tool_name_conflict`. */
export function createMetaMcp(options: MetaMcpOptions): MetaMcp {
  const { agent } = options
  const tools = readExportedTools(agent)
  const listed = [...tools.values()].map((tool) => describeTool(tool, agent))
  const services: CallServices = { ...options, validate: createValidator() }
  return {
    tools: [...tools.values()],
    createServer() {
      const server = new Server(serverInfo(agent), {
        capabilities: { tools: {} },
        ...(agent.description === undefined ? {} : { instructions: agent.description }),
      })
      server.setRequestHandler('tools/list', () => ({ tools: listed }))
      server.setRequestHandler('tools/call', async ({ params }, context) => {
        const tool = tools.get(params.name)
        if (tool === undefined)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
        const args = isJsonObject(params.arguments) ? params.arguments : {}
        const result = await callExportedTool(tool, args, { services, context })
        return server.projectCallToolResult(result, agent.output.schema)
      })
      return server
    },
  }
}

/** R13: the server is the agent. */
function serverInfo({ name, version }: AgentDefinition): { readonly name: string; readonly version: string } {
  return { name, version }
}
