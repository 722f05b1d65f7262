import { isInputRequiredResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { isJsonObject, type AgentDefinition, type AgentRunner } from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { answerCall } from './answer-call.ts'
import type { CallServices } from './call-exported-tool.ts'
import type { CallRecord } from './call-record.ts'
import { describeTool } from './describe-tool.ts'
import type { ExportedTool } from './exported-tool.ts'
import { createHeldCalls } from './held-calls.ts'
import { canBeAsked } from './person/can-be-asked.ts'
import { readExportedTools } from './read-exported-tools.ts'

/** What an agent is served with. */
export interface MetaMcpOptions {
  readonly agent: AgentDefinition
  /** Runs it; a host does. */
  readonly runner: Pick<AgentRunner, 'run'>
  /** A new id for each call and for each round of one: unique and not to be guessed. */
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
  const desk = { services, held: createHeldCalls(options.newContextId) }
  return {
    tools: [...tools.values()],
    createServer() {
      const server = new Server(serverInfo(agent), {
        capabilities: { tools: {} },
        ...(agent.description === undefined ? {} : { instructions: agent.description }),
        // how long a person takes, and how often one is asked, is the business of the run
        inputRequired: { maxRounds: Number.MAX_SAFE_INTEGER, roundTimeoutMs: LONGEST_ROUND },
      })
      server.setRequestHandler('tools/list', () => ({ tools: listed }))
      server.setRequestHandler('tools/call', async ({ params }, context) => {
        const tool = tools.get(params.name)
        if (tool === undefined)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
        const args = isJsonObject(params.arguments) ? params.arguments : {}
        const hasPerson = canBeAsked(server, context)
        const result = await answerCall({ tool, args, context, hasPerson }, desk)
        return isInputRequiredResult(result)
          ? result
          : server.projectCallToolResult(result, agent.output.schema)
      })
      return server
    },
  }
}

/** The most that a timer takes, in ms. */
const LONGEST_ROUND = 2 ** 31 - 1

/** R13: the server is the agent. */
function serverInfo({ name, version }: AgentDefinition): { readonly name: string; readonly version: string } {
  return { name, version }
}
