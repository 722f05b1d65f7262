import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import {
  failedResult,
  givenContext,
  toCallResult,
  type ResultPlace,
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
import type { Caller } from '../caller.ts'
import type { HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { wishedOutput } from '../output-wish.ts'
import { runForCaller } from '../run-for-caller.ts'
import { agentToolInput } from './agent-tool.ts'

/** What calls of agents are made with. */
export interface AgentRunServices {
  readonly context: HeadendContext
  readonly caller: Caller
  readonly validate: ValidateArguments
}

/** What one call is made of. */
export interface AgentCallParts {
  readonly services: AgentRunServices
  readonly mcp: ServerContext
  readonly call: Pick<RunningCall, 'signal' | 'onEvent'>
  /** None: nobody can be asked. */
  readonly person: RunningCall['person'] | undefined
}

/** The arguments of a call, as its schema has them. */
interface AgentCall {
  readonly input: string | JsonObject
  readonly format: OutputContract['format']
  readonly schema?: JsonObject
  readonly contextId?: string
}

/** One call of an agent over MCP, in a conversation of its own or in that of an earlier call. Never rejects. */
export async function callAgent(
  agent: AgentDefinition,
  args: JsonObject,
  { services, mcp, call, person }: AgentCallParts,
): Promise<CallToolResult> {
  const { context, caller, validate } = services
  const runId = context.newId('run')
  const read = readCall(agent, args, { validate, mcp })
  if (isFailure(read)) return failedResult(read, placeOf(agent, runId))
  const { input, output, contextId } = read
  const place = { ...placeOf(agent, contextId ?? runId), output }
  const options: RunOptions = {
    runId,
    output,
    ...(contextId === undefined ? {} : { sessionId: contextId, continueOnly: true }),
    // with a person at the other end what asks is asked; else tools that ask are not offered (R16)
    ...(person === undefined ? {} : { ...person, headless: false }),
    onEvent: call.onEvent,
  }
  const end = await runForCaller({ agent: agent.name, input, options }, { request: call, caller }, context)
  return isFailure(end) ? failedResult(end, place) : toCallResult(end, place)
}

/** What a call wants. */
interface ReadCall {
  readonly input: string | JsonObject
  readonly output: OutputContract
  /** Of the conversation to go on with: an argument, or in `_meta` as with tools that agents offer themselves. */
  readonly contextId: string | undefined
}

/** The call and the form of its answer; a failure where they do not fit. */
function readCall(
  agent: AgentDefinition,
  args: JsonObject,
  { validate, mcp }: { readonly validate: ValidateArguments; readonly mcp: ServerContext },
): ReadCall | Failure {
  const valid = validate(agentToolInput(agent), args)
  if (!valid.ok)
    return failure(
      'tool_bad_arguments',
      `The arguments do not fit ${agent.name}: ${valid.problems.join('; ')}`,
    )
  const call = valid.args as unknown as AgentCall
  const given = givenContext(mcp)
  if (typeof given === 'object') return given
  const output = wishedOutput(call, agent)
  if (output !== undefined && isFailure(output)) return output
  return { input: call.input, output: output ?? agent.output, contextId: call.contextId ?? given }
}

/** A failure of a tool without an output schema stands in its structured content. */
function placeOf(agent: AgentDefinition, contextId: string): ResultPlace {
  return { agent: agent.name, contextId, output: { format: agent.output.format } }
}
