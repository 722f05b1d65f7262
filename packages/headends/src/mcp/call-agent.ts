import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import {
  failedResult,
  readContextId,
  toCallResult,
  type ResultContext,
  type RunningCall,
} from '@troupe/meta-mcp'
import {
  failure,
  type AgentDefinition,
  type Failure,
  type JsonObject,
  type OutputContract,
  type RunOptions,
  type ValidateArguments,
} from '@troupe/schema'
import { resolveOutput } from '../client-runs/resolve-output.ts'
import { runForCaller } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import { agentToolInput } from './agent-tool.ts'

/** Dependencies for running agents. */
export interface AgentRunServices {
  readonly context: HeadendContext
  readonly caller: Caller
  readonly validate: ValidateArguments
}

/** Dependencies of one call. */
export interface AgentCallParts {
  readonly services: AgentRunServices
  readonly mcp: ServerContext
  readonly call: Pick<RunningCall, 'signal' | 'onEvent'>
  /** `undefined` if no person can be asked. */
  readonly person: RunningCall['person'] | undefined
}

/** Arguments of a call, as its schema describes them. */
interface AgentCall {
  readonly input: string | JsonObject
  readonly format: OutputContract['format']
  readonly schema?: JsonObject
  readonly contextId?: string
}

/** Calls an agent over MCP, in a new conversation or in that of an earlier call. Never rejects. */
export async function callAgent(
  agent: AgentDefinition,
  args: JsonObject,
  { services, mcp, call, person }: AgentCallParts,
): Promise<CallToolResult> {
  const { context, caller, validate } = services
  const runId = context.newId('run')
  const read = readCall(agent, args, { validate, mcp })
  if (isFailure(read)) return failedResult(read, resultContextOf(agent, runId))
  const { input, output, contextId } = read
  const resultContext = { ...resultContextOf(agent, contextId ?? runId), output }
  const options: RunOptions = {
    runId,
    output,
    ...(contextId === undefined ? {} : { sessionId: contextId, continueOnly: true }),
    // Without a person who can answer, the run is headless and tools that ask are not offered.
    ...(person === undefined ? {} : { ...person, headless: false }),
    onEvent: call.onEvent,
  }
  const end = await runForCaller({ agent: agent.name, input, options }, { request: call, caller }, context)
  return isFailure(end) ? failedResult(end, resultContext) : toCallResult(end, resultContext)
}

/** A validated call. */
interface ReadCall {
  readonly input: string | JsonObject
  readonly output: OutputContract
  /** Id of the conversation to continue, from the arguments or from `_meta`. */
  readonly contextId: string | undefined
}

/** Validates a call and its output format. Returns a failure if they are invalid. */
function readCall(
  agent: AgentDefinition,
  args: JsonObject,
  { validate, mcp }: { readonly validate: ValidateArguments; readonly mcp: ServerContext },
): ReadCall | Failure {
  const valid = validate(agentToolInput(agent), args)
  if (!valid.ok)
    return failure(
      'tool_bad_arguments',
      `The arguments of ${agent.name} do not match its schema: ${valid.problems.join('; ')}`,
    )
  const call = valid.args as unknown as AgentCall
  const given = readContextId(mcp)
  if (typeof given === 'object') return given
  const output = resolveOutput(call, agent)
  if (output !== undefined && isFailure(output)) return output
  return { input: call.input, output: output ?? agent.output, contextId: call.contextId ?? given }
}

/**
 * Returns the context of a result without an output schema. A failure is then part of the structured content.
 */
function resultContextOf(agent: AgentDefinition, contextId: string): ResultContext {
  return { agent: agent.name, contextId, output: { format: agent.output.format } }
}
