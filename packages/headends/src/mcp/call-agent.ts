import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import { failedResult, reportProgress, toCallResult, type ResultPlace } from '@troupe/meta-mcp'
import {
  failure,
  type AgentDefinition,
  type Failure,
  type JsonObject,
  type OutputContract,
  type RunOptions,
  type ValidateArguments,
} from '@troupe/schema'
import type { Caller, HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { wishedOutput } from '../output-wish.ts'
import { runForCaller } from '../run-for-caller.ts'
import { agentToolInput } from './agent-tool.ts'

/** What calls of agents are made with. */
export interface AgentCallServices {
  readonly context: HeadendContext
  readonly caller: Caller
  readonly validate: ValidateArguments
}

/** The arguments of a call, as its schema has them. */
interface AgentCall {
  readonly input: string | JsonObject
  readonly format: OutputContract['format']
  readonly schema?: JsonObject
  readonly contextId?: string
}

/** One call of an agent over MCP: a headless run, in a conversation of its own or in that of an earlier call. Never rejects. */
export async function callAgent(
  agent: AgentDefinition,
  args: JsonObject,
  { services, mcp }: { readonly services: AgentCallServices; readonly mcp: ServerContext },
): Promise<CallToolResult> {
  const { context, caller, validate } = services
  const runId = context.newId('run')
  const read = readCall(agent, args, validate)
  if (isFailure(read)) return failedResult(read, placeOf(agent, runId))
  const { call, output } = read
  const place = { ...placeOf(agent, call.contextId ?? runId), output }
  const progress = reportProgress(mcp)
  const options: RunOptions = {
    runId,
    output,
    ...(call.contextId === undefined ? {} : { sessionId: call.contextId, continueOnly: true }),
    ...(progress === undefined ? {} : { onEvent: progress.onEvent }),
  }
  const { signal } = mcp.mcpReq
  const end = await runForCaller(
    { agent: agent.name, input: call.input, options },
    { request: { signal }, caller },
    context,
  )
  progress?.end()
  return isFailure(end) ? failedResult(end, place) : toCallResult(end, place)
}

/** The call and the form of its answer; a failure where they do not fit. */
function readCall(
  agent: AgentDefinition,
  args: JsonObject,
  validate: ValidateArguments,
): { readonly call: AgentCall; readonly output: OutputContract } | Failure {
  const valid = validate(agentToolInput(agent), args)
  if (!valid.ok)
    return failure(
      'tool_bad_arguments',
      `The arguments do not fit ${agent.name}: ${valid.problems.join('; ')}`,
    )
  const call = valid.args as unknown as AgentCall
  const output = wishedOutput(call, agent)
  if (output !== undefined && isFailure(output)) return output
  return { call, output: output ?? agent.output }
}

/** A failure of a tool without an output schema stands in its structured content. */
function placeOf(agent: AgentDefinition, contextId: string): ResultPlace {
  return { agent: agent.name, contextId, output: { format: agent.output.format } }
}
