import type { ServerContext } from '@modelcontextprotocol/server'
import { createRunningCall, type CallAnswer, type PendingCalls } from '@troupe/meta-mcp'
import type { AgentDefinition, JsonObject } from '@troupe/schema'
import { agentToolName } from './agent-tool.ts'
import { callAgent, type AgentRunServices } from './call-agent.ts'

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
