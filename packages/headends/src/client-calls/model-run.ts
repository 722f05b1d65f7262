import {
  type AgentDefinition,
  type AgentRunner,
  type ClientTools,
  type Failure,
  type RunListener,
  type RunOptions,
} from '@troupe/schema'
import type { z } from 'zod'
import {
  conversationOptions,
  toConversation,
  type ClientMessage,
} from '../client-runs/client-conversation.ts'
import { resolveOutput, type OutputOptions } from '../client-runs/resolve-output.ts'
import { createReasoningText } from '../client-runs/reasoning-text.ts'
import { servedAgent, type CallerRun, type RunOwner } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import type { Caller } from '../headend/headend.ts'
import { readJson } from '../request/read-json.ts'
import type { ClientDecisions, ClientRuns, WaitingClientRun } from './client-runs.ts'
import { readClientTools, type ToolRequest } from './client-tools.ts'
import type { ModelRunEnd } from './collect-answer.ts'
import { findContinuation } from './find-continuation.ts'

/** A valid request to an agent through a model API. */
interface ModelApiCall<Body> {
  readonly body: Body
  readonly agent: AgentDefinition
  readonly messages: readonly ClientMessage[]
  /** The tools of the client; `undefined` if none is offered. */
  readonly clientTools: ClientTools | undefined
  /** True if the client requires an answer without calls. */
  readonly forbidsCalls: boolean
}

/** A call of an agent through a model API. */
interface ModelRun extends Omit<ModelApiCall<unknown>, 'body'> {
  readonly outputOptions: OutputOptions
  /**
   * Returns what a new run continues, or a failure. The earlier messages of the client are then ignored.
   * `undefined` if the client sends the conversation.
   */
  findHistory?(): Promise<StoredHistory | Failure | undefined>
  /** Id of the run, if a new one is started. */
  readonly runId: string
  /** Stored with the run. */
  readonly note?: RunOptions['note'] | undefined
}

/** The stored messages that a new run starts with: a session that it continues, or a run that it branches from. */
export type StoredHistory = Pick<RunOptions, 'sessionId' | 'branchFrom'>

/** The parts of a planned or prepared run that do not depend on its connection. */
interface ModelRunBase {
  readonly runId: string
  readonly sessionId?: string | undefined
  /** True if the answer is JSON. */
  readonly isJson: boolean
}

/** The run of a call: a new one, or one that waits for results and gets them. */
export type PlannedModelRun = ModelRunBase &
  (
    | { readonly start: CallerRun & { readonly options: { readonly runId: string } } }
    | { readonly waiting: WaitingClientRun; readonly results: ClientDecisions }
  )

/** A run that is ready to start, or to be resumed. */
export interface PreparedModelRun extends ModelRunBase {
  run(onEvent?: RunListener): Promise<ModelRunEnd>
}

/** Prepares a planned run for the request of its client. */
export function prepareModelRun(
  planned: PlannedModelRun,
  owner: RunOwner,
  clientRuns: ClientRuns,
): PreparedModelRun {
  const { runId, sessionId, isJson } = planned
  const to = { ...owner, isWhole: isJson }
  return {
    runId,
    sessionId,
    isJson,
    run: (onEvent) =>
      'start' in planned
        ? clientRuns.start(planned.start, { ...to, onEvent })
        : planned.waiting.resume(planned.results, { ...to, onEvent }),
  }
}

/** Executes a run, and returns its end with its whole reasoning, which is empty if the client wants none. */
export async function collectReasoning(
  { run }: Pick<PreparedModelRun, 'run'>,
  wantsReasoning: boolean,
): Promise<{ readonly end: ModelRunEnd; readonly reasoning: string }> {
  if (!wantsReasoning) return { end: await run(), reasoning: '' }
  const text = createReasoningText({ withChildren: false })
  let reasoning = ''
  const end = await run((event) => {
    reasoning += text.read(event)
  })
  return { end, reasoning }
}

/**
 * Plans the run of a call: a new one, or the one that waits for the results in its messages. Returns a failure if
 * the requested output format is not possible or the results do not fit.
 */
export async function planModelRun(
  call: ModelRun,
  { principal }: Pick<Caller, 'principal'>,
  clientRuns: Pick<ClientRuns, 'find'>,
): Promise<PlannedModelRun | Failure> {
  const { agent, messages, clientTools, outputOptions, runId, note } = call
  const output = resolveOutput(outputOptions, agent)
  if (output !== undefined && isFailure(output)) return output
  const isJson = (output ?? agent.output).format === 'json'
  const continuation = await findContinuation(call, (id) =>
    clientRuns.find({ runId: id, principal, agent: agent.name }),
  )
  if (continuation !== undefined && isFailure(continuation)) return continuation
  if (continuation !== undefined) {
    const { waiting, results } = continuation
    return { runId: waiting.runId, sessionId: waiting.sessionId, isJson, waiting, results }
  }
  const history = await call.findHistory?.()
  if (history !== undefined && isFailure(history)) return history
  const conversation = toConversation(messages, agent, { keepsCalls: clientTools !== undefined })
  if (isFailure(conversation)) return conversation
  const options = {
    runId,
    ...(output === undefined ? {} : { output }),
    // The stored conversation replaces the client's earlier messages.
    ...conversationOptions(history === undefined ? conversation : { ...conversation, earlier: [] }),
    ...history,
    ...(clientTools === undefined ? {} : { clientTools }),
    ...(note === undefined ? {} : { note }),
  }
  const start = { agent: agent.name, input: conversation.input, options }
  return { runId, sessionId: history?.sessionId, isJson, start }
}

/**
 * Reads a request of a protocol in which the model is the name of an agent and the client sends the
 * conversation. Returns a failure if the request is invalid.
 */
export async function readModelCall<Body extends { readonly model: string }>(
  request: Request,
  {
    schema,
    toMessages,
    toTools,
    runner,
  }: {
    readonly schema: z.ZodType<Body>
    toMessages(body: NoInfer<Body>): readonly ClientMessage[] | Failure
    toTools(body: NoInfer<Body>): ToolRequest | Failure
    readonly runner: AgentRunner
  },
): Promise<ModelApiCall<Body> | Failure> {
  const read = await readJson(request, schema)
  if (!read.ok) return read.reason
  const { value: body } = read
  const agent = servedAgent(runner, body.model)
  if (isFailure(agent)) return agent
  const messages = toMessages(body)
  if (isFailure(messages)) return messages
  const tools = toTools(body)
  if (isFailure(tools)) return tools
  const clientTools = readClientTools(tools, agent)
  if (clientTools !== undefined && isFailure(clientTools)) return clientTools
  return { body, agent, messages, clientTools, forbidsCalls: tools.choice === 'none' }
}
