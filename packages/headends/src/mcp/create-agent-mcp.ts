import {
  Server,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/server'
import {
  createPendingCalls,
  supportsForms,
  INPUT_REQUIRED_OPTIONS,
  createRunningCall,
  type CallAnswer,
  type PendingCalls,
  failedResult,
  PROMPT_CAPABILITIES,
  RESOURCE_CAPABILITIES,
  readCallTrace,
  readContextId,
  servePrompts,
  serveResources,
  serveTasks,
  supportsTasks,
  TASK_CAPABILITIES,
  toTaskResult,
  toCallResult,
  type PromptTool,
  type ResultContext,
  type RunningCall,
} from '@troupe/meta-mcp'
import {
  isJsonObject,
  type AgentDefinition,
  type JsonObject,
  failure,
  type Failure,
  type OutputContract,
  type RunOptions,
  toWireName,
} from '@troupe/schema'
import type { ValidateArguments } from '@troupe/schema/ports'
import { createValidator } from '@troupe/tools'
import { resolveOutput } from '../client-runs/resolve-output.ts'
import { runForCaller } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import type { ReadableRuns } from '../run-service/readable-runs.ts'
import { createRunResources } from './run-resources.ts'
import { createRunTasks, isCallTask, startRunTask, type TaskRuns } from './run-tasks.ts'

/** The served agents as the tools of an MCP server, for any transport. */
export interface AgentMcp {
  /** Creates a server for one connection of a caller. It supports both protocol eras. */
  createServer(caller: Caller): Server
  /** Ends the calls that wait for a person. */
  close(): void
}

/** The runs of callers, which they can read as resources and follow as tasks. */
export type CallerRuns = ReadableRuns & TaskRuns

/** Creates the MCP servers of the served agents. Without `runs` they have neither resources nor tasks. */
export function createAgentMcp(context: HeadendContext, runs?: CallerRuns): AgentMcp {
  const validate = createValidator()
  const pendingCalls = createPendingCalls(() => context.newId('call'))
  return {
    // a connection has many calls, each with a trace context of its own
    createServer: ({ traceContext: _trace, ...caller }) =>
      createAgentServer({ context, runs, caller, validate, pendingCalls }),
    close: pendingCalls.close,
  }
}

/**
 * Creates an MCP server for one connection, with every served agent as a tool. It supports both protocol
 * eras.
 */
function createAgentServer(services: AgentCallServices): Server {
  const { runs, caller } = services
  const { runner } = services.context
  const [entry] = runner.agents()
  const server = new Server(
    { name: entry?.name ?? 'troupe', version: entry?.version ?? '0.0.0' },
    {
      capabilities: {
        ...PROMPT_CAPABILITIES,
        tools: {},
        logging: {},
        ...(runs === undefined ? {} : { ...RESOURCE_CAPABILITIES, ...TASK_CAPABILITIES }),
      },
      ...(entry?.description === undefined ? {} : { instructions: entry.description }),
      inputRequired: INPUT_REQUIRED_OPTIONS,
    },
  )
  servePrompts(server, () => runner.agents().flatMap(toPromptTool))
  if (runs !== undefined) {
    serveResources(server, () => createRunResources(runs, caller))
    serveTasks(server, createRunTasks(runs, caller.principal))
  }
  server.setRequestHandler('tools/list', () => ({ tools: runner.agents().map(agentTool) }))
  server.setRequestHandler('tools/call', async ({ params }, mcp) => {
    const agent = runner.agents().find((candidate) => agentToolName(candidate) === params.name)
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
interface AgentCallServices extends AgentRunServices {
  /** Waiting calls of all callers. */
  readonly pendingCalls: PendingCalls
  readonly runs: CallerRuns | undefined
}

/** A request to call an agent, or to answer the questions of an earlier call. */
interface AgentCallRequest {
  readonly agent: AgentDefinition
  readonly args: JsonObject
  readonly mcp: ServerContext
  /** True if the client can show forms to a person. */
  readonly hasPerson: boolean
}

/** Returns the result of the call, or the questions that a person must answer first. */
async function answerAgentCall(
  { agent, args, mcp, hasPerson }: AgentCallRequest,
  services: AgentCallServices,
): Promise<CallAnswer> {
  const { pendingCalls, caller, runs } = services
  if (runs !== undefined && supportsTasks(mcp) && agent.store === 'full')
    return startAgentTask(agent, args, { services, runs, mcp, hasPerson })
  const key = `${caller.principal}\n${agentToolName(agent)}`
  const resumed = pendingCalls.resume(key, mcp)
  if (resumed !== undefined) return resumed
  const call = createRunningCall(mcp)
  const person = hasPerson ? call.person : undefined
  return pendingCalls.round(
    { key, call, result: callAgent(agent, args, { services, mcp, call, person }) },
    mcp,
  )
}

/**
 * Starts a call as a task, which continues when the client disconnects. Calls that are refused get a result at once.
 */
async function startAgentTask(
  agent: AgentDefinition,
  args: JsonObject,
  {
    services: { context, caller, validate },
    runs,
    mcp,
    hasPerson,
  }: {
    readonly services: AgentRunServices
    readonly runs: TaskRuns
    readonly mcp: ServerContext
    readonly hasPerson: boolean
  },
): Promise<CallToolResult> {
  const runId = context.newId('run')
  const read = readCall(agent, args, { validate, mcp })
  if (isFailure(read)) return failedResult(read, resultContextOf(agent, runId))
  const { input, output, contextId } = read
  const options = {
    runId,
    output,
    ...(contextId === undefined ? {} : { sessionId: contextId, continueOnly: true }),
    // without forms nothing of the run can be approved, as in other calls
    ...(hasPerson ? {} : { headless: true }),
    traceContext: readCallTrace(mcp),
  }
  const { principal } = caller
  const task = await startRunTask({ agent: agent.name, input, principal, options }, runs, context.clock.now)
  if (isCallTask(task)) return toTaskResult(task)
  const resultContext = { ...resultContextOf(agent, contextId ?? runId), output }
  return isFailure(task) ? failedResult(task, resultContext) : toCallResult(task, resultContext)
}

/** Dependencies for running agents. */
interface AgentRunServices {
  readonly context: HeadendContext
  readonly caller: Caller
  readonly validate: ValidateArguments
}

/** Dependencies of one call. */
interface AgentCallParts {
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
async function callAgent(
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
    traceContext: readCallTrace(mcp),
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
  const metaContextId = readContextId(mcp)
  if (typeof metaContextId === 'object') return metaContextId
  const output = resolveOutput(call, agent)
  if (output !== undefined && isFailure(output)) return output
  return { input: call.input, output: output ?? agent.output, contextId: call.contextId ?? metaContextId }
}

/**
 * Returns the context of a result without an output schema. A failure is then part of the structured content.
 */
function resultContextOf(agent: AgentDefinition, contextId: string): ResultContext {
  return { agent: agent.name, contextId, output: { format: agent.output.format } }
}

/** Returns the MCP tool name of an agent. */
function agentToolName({ name }: Pick<AgentDefinition, 'name'>): string {
  return toWireName(name)
}

/** Returns the input schema of an agent's tool. */
function agentToolInput({ input, output }: AgentDefinition): JsonObject {
  const object = input.schema ?? { type: 'object' }
  const needsSchema = output.schema === undefined
  return {
    type: 'object',
    properties: {
      input: {
        anyOf: [{ type: 'string' }, object],
        description: 'The message for the agent, or its input object.',
      },
      format: {
        enum: ['text', 'markdown', 'json'],
        description: `The format of the answer.${needsSchema ? ' json requires a schema.' : ''}`,
      },
      schema: { type: 'object', description: 'With format json: the JSON Schema of the answer.' },
      contextId: {
        type: 'string',
        minLength: 1,
        description: 'Continues the conversation of an earlier result.',
      },
    },
    required: ['input', 'format'],
    additionalProperties: false,
  }
}

/** Returns the prompt that asks a host to call the agent; none if the agent declares no inputs. */
function toPromptTool(agent: AgentDefinition): readonly PromptTool[] {
  const { name: title, description = `The agent ${title}.`, input, output } = agent
  if (!isJsonObject(input.schema?.['properties'])) return []
  const format = output.format === 'json' && output.schema === undefined ? 'text' : output.format
  return [
    {
      name: agentToolName(agent),
      title,
      description,
      schema: input.schema,
      toArguments: (entered) => ({ input: entered, format }),
    },
  ]
}

/** Returns an agent as an MCP tool. */
function agentTool(agent: AgentDefinition): Tool {
  return {
    name: agentToolName(agent),
    title: agent.name,
    description: agent.description ?? `The agent ${agent.name}.`,
    inputSchema: agentToolInput(agent) as Tool['inputSchema'],
    annotations: { openWorldHint: true },
  }
}
