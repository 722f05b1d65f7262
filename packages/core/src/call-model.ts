import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4FunctionTool,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import {
  failure,
  type Failure,
  type JsonObject,
  type LanguageModel,
  type Message,
  type ModelHandle,
  type OutputContract,
  type PreparedAgent,
} from '@troupe/schema'
import {
  classifyModelError,
  type FailedAnswer,
  type FaultSource,
  type ModelFault,
} from './classify-model-error.ts'
import { enterLane, leaveLane } from './model-lane.ts'
import { isUnconnected } from './network-error.ts'
import type { OnContextOverflow } from './on-context-overflow.ts'
import { ownMessages } from './own-messages.ts'
import { readAnswer, type Answer } from './read-answer.ts'
import { replayAnswer } from './replay-answer.ts'
import type { Run } from './run.ts'
import { showRequest } from './show-request.ts'
import { createStop, untilStop, type Stop } from './stop.ts'
import { takeAnswer } from './take-answer.ts'
import type { TriedModel } from './try-model.ts'
import { watchStream } from './watch-stream.ts'
import { asksWhole, learnPace } from './whole-answers.ts'

/** What the loop asks of one model call. */
export interface CallOptions {
  readonly messages: readonly Message[]
  /** False: tools are declared, as the history may need them, and must not be called. */
  readonly mayCall: boolean
  /** The form of this answer, where it is not that of the agent. */
  readonly output?: OutputContract
  /** Makes the messages shorter that a provider called too long; none: the call fails. */
  readonly onOverflow?: OnContextOverflow
  /** True: the call is beside the conversation, so nothing of it is kept there. */
  readonly isAside?: boolean
  /** True: the answer is asked for in one piece. */
  readonly isWhole?: boolean
  /** Under a cap: what may be generated. */
  readonly paid?: { readonly maxOutputTokens: number }
}

/** One request to one model, from its lane to the end of its stream. Never rejects. */
export async function callModel(
  run: Run,
  { prepared, handle, isLast }: TriedModel,
  options: CallOptions,
): Promise<Answer | FailedAnswer> {
  if (run.stop.reason !== undefined) return unsent(run)
  const { tape } = run.root
  if (tape?.replay !== undefined) {
    showRequest(run, tape, toRequest(run, prepared, handle, options))
    return (await replayAnswer(run, tape.replay)) ?? unsent(run)
  }
  const entering = enterLane(run, { prepared, handle, isLast }, options)
  const pass = entering instanceof Promise ? await entering : entering
  if (pass === undefined) return unsent(run)
  if ('failure' in pass) return pass
  const answer = await (asksWhole(run, handle) ? askWhole : askModel)(run, { prepared, handle }, options)
  return leaveLane(run, { handle, pass }, answer)
}

/** A request for an answer in one piece. */
async function askWhole(
  run: Run,
  model: Pick<TriedModel, 'prepared' | 'handle'>,
  options: CallOptions,
): Promise<Answer | FailedAnswer> {
  const { clock } = run.root
  const startedAt = clock.monotonic()
  const answer = await askModel(run, model, { ...options, isWhole: true })
  learnPace(model.handle, answer, clock.monotonic() - startedAt)
  return answer
}

/** The request itself, and the reading of its answer: a stream, or all of it at once. */
async function askModel(
  run: Run,
  { prepared, handle }: Pick<TriedModel, 'prepared' | 'handle'>,
  options: CallOptions,
): Promise<Answer | FailedAnswer> {
  const stop = createStop(run.stop)
  const watch = watchStream(run, stop)
  const source = (): FaultSource => ({ handle, now: run.root.clock.now() })
  const stopped = (): ModelFault => fault(endReason(run, stop))
  try {
    const model = openModel(run, handle)
    const request = toRequest(run, prepared, handle, options)
    request.abortSignal = stop.signal
    if (run.root.tape !== undefined) showRequest(run, run.root.tape, request)
    const result = await untilStop<LanguageModelV4StreamResult | LanguageModelV4GenerateResult>(
      options.isWhole === true ? model.doGenerate(request) : model.doStream(request),
      stop,
    )
    if (result === undefined) return stopped()
    const { maxOutputTokens } = request
    const { mayCall } = options
    const call = { stop, watch, mayCall, maxOutputTokens, source, stopped }
    if ('content' in result) return takeAnswer(run, result, call)
    const answer = await readAnswer(run, result.stream, call)
    // whatever is left of a failed call ends with it, its connection first
    if ('failure' in answer) stop.stop(answer.failure)
    return answer
  } catch (thrown) {
    return stop.reason === undefined
      ? { ...classifyModelError(thrown, source()), isFree: isRefusal(thrown) }
      : stopped()
  } finally {
    watch.end()
    stop.detach()
  }
}

/** One model per run and handle: a scripted one goes on where it stood. */
function openModel(run: Run, handle: ModelHandle): LanguageModel {
  const opened = run.models.find((each) => each.handle === handle)
  if (opened !== undefined) return opened.model
  const calls = run.journal?.usage.filter(({ model }) => model === handle.id).length
  const model = handle.open({
    agent: run.request.agent.name,
    runId: run.request.runId,
    ...(calls === undefined ? {} : { calls }),
  })
  run.models.push({ handle, model })
  return model
}

/** Why the call ended early: the run's own reason, else the timer of the call. A timer is worth another attempt, a stopped run is not. */
function endReason(run: Run, stop: Stop): Failure {
  return run.stop.reason ?? stop.reason ?? failure('run_cancelled', 'The run was stopped.')
}

/** The run was stopped before the call went out. */
function unsent(run: Run): FailedAnswer {
  return {
    ...fault(run.stop.reason ?? failure('run_cancelled', 'The run was stopped.')),
    isFree: true,
    isUnsent: true,
  }
}

/** True for an answer with an error status, and where no connection came about: nothing was generated. */
function isRefusal(thrown: unknown): boolean {
  return (APICallError.isInstance(thrown) && (thrown.statusCode ?? 0) >= 400) || isUnconnected(thrown)
}

function fault(reason: Failure): ModelFault {
  return { failure: reason, retryable: reason.code === 'model_timeout' }
}

function toRequest(
  run: Run,
  prepared: PreparedAgent,
  handle: ModelHandle,
  options: CallOptions,
): LanguageModelV4CallOptions {
  const { settings } = run.definition
  const output = options.output ?? run.output
  const messages = ownMessages(options.messages, handle.provider, run)
  const request: LanguageModelV4CallOptions = {
    // concat copies memory, a spread goes through the history message by message
    prompt: systemMessages(prepared).concat(messages),
  }
  const tools = functionTools(prepared)
  if (tools.length > 0) {
    request.tools = tools
    request.toolChoice = { type: options.mayCall ? 'auto' : 'none' }
  }
  if (settings.temperature !== undefined) request.temperature = settings.temperature
  if (settings.topP !== undefined) request.topP = settings.topP
  const maxOutputTokens = options.paid?.maxOutputTokens ?? settings.maxOutputTokens
  if (maxOutputTokens !== undefined) request.maxOutputTokens = maxOutputTokens
  const { reasoning } = settings
  if (typeof reasoning === 'number') request.providerOptions = { troupe: { reasoningBudget: reasoning } }
  else if (reasoning !== undefined) request.reasoning = reasoning
  if (settings.stopSequences !== undefined) request.stopSequences = [...settings.stopSequences]
  if (output.format === 'json') request.responseFormat = jsonFormat(output.schema)
  return request
}

function systemMessages({ system }: PreparedAgent): Message[] {
  return system === '' ? [] : [{ role: 'system', content: system }]
}

function jsonFormat(
  schema: JsonObject | undefined,
): NonNullable<LanguageModelV4CallOptions['responseFormat']> {
  return schema === undefined ? { type: 'json' } : { type: 'json', schema: schema as object }
}

const declared = new WeakMap<PreparedAgent['tools'], LanguageModelV4FunctionTool[]>()

/** The tools as the model is told of them: made once for a prepared agent, not once a turn. */
function functionTools(prepared: PreparedAgent): LanguageModelV4FunctionTool[] {
  let tools = declared.get(prepared.tools)
  if (tools === undefined) {
    tools = [...prepared.tools.values()].map((tool) => ({
      type: 'function',
      name: tool.wireName,
      description: tool.description,
      inputSchema: tool.inputSchema as LanguageModelV4FunctionTool['inputSchema'],
    }))
    declared.set(prepared.tools, tools)
  }
  return tools
}
