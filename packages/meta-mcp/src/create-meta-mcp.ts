import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
} from '@modelcontextprotocol/server'
import { isJsonObject, type AgentDefinition, type AgentRunner, type Clock } from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { answerCall, type OfferedTool } from './answer-call.ts'
import { createAnswerCache } from './answer-cache.ts'
import { createBackgroundCalls } from './background-calls.ts'
import { backgroundTools, describeBackgroundTool } from './background-tools.ts'
import type { CallServices } from './call-exported-tool.ts'
import type { CallRecord } from './call-record.ts'
import { describeTool } from './describe-tool.ts'
import type { ExportedTool } from './exported-tool.ts'
import { createHeldCalls } from './held-calls.ts'
import { canBeAsked } from './person/can-be-asked.ts'
import { readExportedTools } from './read-exported-tools.ts'
import { createToolGates } from './tool-gates.ts'

/** What an agent is served with. */
export interface MetaMcpOptions {
  readonly agent: AgentDefinition
  /** Runs it; a host does. */
  readonly runner: Pick<AgentRunner, 'run'>
  /** A new id for each call and for each round of one: unique and not to be guessed. */
  newContextId(): string
  /** Told of every call when it has ended. What it throws fails the call. */
  onCall?(record: CallRecord): void
  readonly clock: Pick<Clock, 'now' | 'after'>
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
  const offered = offer(tools)
  const listed = [...offered.values()].map((each) => describe(each, { agent, offered }))
  const { clock, newContextId } = options
  const services: CallServices = {
    ...options,
    validate: createValidator(),
    gates: createToolGates(clock),
    cache: createAnswerCache(clock),
  }
  const desk = {
    services,
    held: createHeldCalls(newContextId),
    background: createBackgroundCalls(newContextId),
  }
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
        const called = offered.get(params.name)
        if (called === undefined)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
        const args = isJsonObject(params.arguments) ? params.arguments : {}
        const hasPerson = canBeAsked(server, context)
        const result = await answerCall({ offered: called, args, context, hasPerson }, desk)
        return isInputRequiredResult(result) || called.kind !== 'call'
          ? result
          : server.projectCallToolResult(result, agent.output.schema)
      })
      return server
    },
  }
}

/** What clients can call: the tools, and those that start them and ask for their answers. */
function offer(tools: ReadonlyMap<string, ExportedTool>): ReadonlyMap<string, OfferedTool> {
  const called = Array.from(
    tools,
    ([wireName, tool]) => [wireName, { kind: 'call', tool, wireName }] as const,
  )
  return new Map<string, OfferedTool>([...called, ...backgroundTools(tools)])
}

function describe(
  each: OfferedTool,
  { agent, offered }: { readonly agent: AgentDefinition; readonly offered: ReadonlyMap<string, OfferedTool> },
): Tool {
  const { kind, tool, wireName } = each
  if (kind === 'call') return describeTool(tool, agent)
  const [poll = ''] = Array.from(offered.values()).flatMap((other) =>
    other.kind === 'poll' && other.tool === tool ? [other.wireName] : [],
  )
  return describeBackgroundTool({ kind, tool, wireName }, { agent, poll })
}

/** The most that a timer takes, in ms. */
const LONGEST_ROUND = 2 ** 31 - 1

/** R13: the server is the agent. */
function serverInfo({ name, version }: AgentDefinition): { readonly name: string; readonly version: string } {
  return { name, version }
}
