import type { ServerContext } from '@modelcontextprotocol/server'
import { createRunningCall, type CallAnswer, type HeldCalls } from '@troupe/meta-mcp'
import type { AgentDefinition, JsonObject } from '@troupe/schema'
import { agentToolName } from './agent-tool.ts'
import { callAgent, type AgentRunServices } from './call-agent.ts'

/** What calls of agents are answered with. */
export interface AgentCallServices extends AgentRunServices {
  /** Of all callers. */
  readonly held: HeldCalls
}

/** A request for a call: the call itself, or the answers that it waits for. */
export interface AgentCallRequest {
  readonly agent: AgentDefinition
  readonly args: JsonObject
  readonly mcp: ServerContext
  /** The client can show forms to a person. */
  readonly hasPerson: boolean
}

/** Answers with the result of the call, or with what a person is asked before there is one. */
export async function answerAgentCall(
  { agent, args, mcp, hasPerson }: AgentCallRequest,
  services: AgentCallServices,
): Promise<CallAnswer> {
  const { held, caller } = services
  const key = `${caller.principal}\n${agentToolName(agent)}`
  const again = held.goOn(key, mcp)
  if (again !== undefined) return again
  const call = createRunningCall(mcp)
  const person = hasPerson ? call.person : undefined
  return held.round({ key, call, result: callAgent(agent, args, { services, mcp, call, person }) }, mcp)
}
