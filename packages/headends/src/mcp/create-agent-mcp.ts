import {
  Server,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import {
  createPendingCalls,
  supportsForms,
  INPUT_REQUIRED_OPTIONS,
  createRunningCall,
  type CallAnswer,
  type PendingCalls,
} from '@troupe/meta-mcp'
import { isJsonObject, type AgentDefinition, type JsonObject } from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import { agentTool, agentToolName } from './agent-tool.ts'
import { callAgent, type AgentRunServices } from './call-agent.ts'

/** The served agents as the tools of an MCP server, for any transport. */
export interface AgentMcp {
  /** Creates a server for one connection of a caller. It supports both protocol eras. */
  createServer(caller: Caller): Server
  /** Ends the calls that wait for a person. */
  close(): void
}

/** Creates the MCP servers of the served agents. */
export function createAgentMcp(context: HeadendContext): AgentMcp {
  const validate = createValidator()
  const held = createPendingCalls(() => context.newId('call'))
  return {
    createServer: (caller) => createAgentServer({ context, caller, validate, held }),
    close: held.close,
  }
}

/**
 * Creates an MCP server for one connection, with every served agent as a tool. It supports both protocol
 * eras.
 */
export function createAgentServer(services: AgentCallServices): Server {
  const { runner } = services.context
  const [entry] = runner.agents()
  const server = new Server(
    { name: entry?.name ?? 'troupe', version: entry?.version ?? '0.0.0' },
    {
      capabilities: { tools: {} },
      ...(entry?.description === undefined ? {} : { instructions: entry.description }),
      inputRequired: INPUT_REQUIRED_OPTIONS,
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools: runner.agents().map(agentTool) }))
  server.setRequestHandler('tools/call', async ({ params }, mcp) => {
    const agent = runner.agents().find((one) => agentToolName(one) === params.name)
    if (agent === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
    const args = isJsonObject(params.arguments) ? params.arguments : {}
    const result = await answerAgentCall(
      { agent, args, mcp, hasPerson: supportsForms(server, mcp) },
      services,
    )
    return isInputRequiredResult(result) ? result : server.projectCallToolResult(result, undefined)
  })
  return server
}

/** Dependencies for answering calls of agents. */
export interface AgentCallServices extends AgentRunServices {
  /** Waiting calls of all callers. */
  readonly held: PendingCalls
}

/** A request to call an agent, or to answer the questions of an earlier call. */
export interface AgentCallRequest {
  readonly agent: AgentDefinition
  readonly args: JsonObject
  readonly mcp: ServerContext
  /** True if the client can show forms to a person. */
  readonly hasPerson: boolean
}

/** Returns the result of the call, or the questions that a person must answer first. */
export async function answerAgentCall(
  { agent, args, mcp, hasPerson }: AgentCallRequest,
  services: AgentCallServices,
): Promise<CallAnswer> {
  const { held, caller } = services
  const key = `${caller.principal}\n${agentToolName(agent)}`
  const resumed = held.resume(key, mcp)
  if (resumed !== undefined) return resumed
  const call = createRunningCall(mcp)
  const person = hasPerson ? call.person : undefined
  return held.round({ key, call, result: callAgent(agent, args, { services, mcp, call, person }) }, mcp)
}
