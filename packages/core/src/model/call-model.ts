import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4ToolChoice,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import {
  clientToolName,
  type JsonObject,
  type LanguageModel,
  type Message,
  type OutputContract,
  type AssistantMessage,
  type ToolDefinition,
} from '@troupe/schema'
import type {
  Guard,
  ModelHandle,
  Permit,
  PreparedAgent,
  RunTreeRecording,
  RunTreeReplay,
} from '@troupe/schema/ports'
import { systemPrompt } from '../context/system-prompt.ts'
import type { TriedModel, PreparedRun } from './ask-model.ts'
import {
  isRefusal,
  stoppedFault,
  thrownFault,
  unsentAnswer,
  type FailedAnswer,
} from './classify-model-error.ts'
import { acquirePermit, releasePermit } from './model-permit.ts'
import type { OnContextOverflow } from './next-attempt.ts'
import { readAnswer, readWholeAnswer, watchStream, type CompleteAnswer } from './read-answer.ts'
import { sealed, type Run } from '../run/run.ts'
import type { LoggedRun } from '../log/run-log.ts'
import { createCancellation, raceOwnCancellation, raceCancellation } from '../run/cancellation.ts'
import { toJson } from '../run/json.ts'
import { callsOf, textOf, type RecordedAnswer } from '../log/recorded-steps.ts'

/** Options of one model call. */
export interface CallOptions {
  readonly messages: readonly Message[]
  /** True if tools may be called. If false, they are still declared, as the history may need them. */
  readonly mayCall: boolean
  /** Output contract of this answer, if it is not that of the agent. */
  readonly output?: OutputContract
  /** Shortens messages that the provider rejected as too long. Without it, the call fails. */
  readonly onOverflow?: OnContextOverflow
  /** True for a side call, which is not part of the conversation. */
  readonly isSideCall?: boolean
  /** The tool call that makes this side call. */
  readonly callId?: string
  /** True for a non-streaming request. */
  readonly isNonStreaming?: boolean
  /** Output limit that the budget allows, if there is a budget. */
  readonly paid?: { readonly maxOutputTokens: number }
}

type ProviderResult = LanguageModelV4StreamResult | LanguageModelV4GenerateResult

/** Makes one request to one model: waits for its permit, sends it and reads the answer to its end. Never rejects. */
export async function callModel(
  run: PreparedRun,
  model: TriedModel,
  options: CallOptions,
): Promise<CompleteAnswer | FailedAnswer> {
  if (run.cancellation.reason !== undefined) return unsentAnswer(run)
  const { recording } = run.root
  if (recording?.replay !== undefined) {
    recordRequest(run, recording, toRequest(run, model, options))
    return (await replayAnswer(run, recording.replay)) ?? unsentAnswer(run)
  }
  const permit = await acquirePermit(run, model, options)
  if (permit === undefined) return unsentAnswer(run)
  if ('failure' in permit) return permit
  const ask = avoidsStreaming(run, model.handle) ? callWithoutStreaming : askProvider
  return ask(run, model, { ...options, permit })
}

/** Sends a non-streaming request and records its duration. */
async function callWithoutStreaming(
  run: PreparedRun,
  model: TriedModel,
  options: CallOptions & { readonly permit: Permit },
): Promise<CompleteAnswer | FailedAnswer> {
  const { clock } = run.root
  const startedAt = clock.monotonic()
  const answer = await askProvider(run, model, { ...options, isNonStreaming: true })
  rememberSlowModel(model.handle, answer, clock.monotonic() - startedAt)
  return answer
}

/** Sends the request, reads its answer and releases the permit. */
async function askProvider(
  run: PreparedRun,
  model: TriedModel,
  options: CallOptions & { readonly permit: Permit },
): Promise<CompleteAnswer | FailedAnswer> {
  const { handle } = model
  const stop = createCancellation(run.cancellation)
  const watch = watchStream(run, stop)
  let answer: CompleteAnswer | FailedAnswer
  try {
    const request = toRequest(run, model, options)
    request.abortSignal = stop.signal
    if (run.root.recording !== undefined) recordRequest(run, run.root.recording, request)
    const languageModel = openModel(run, handle)
    const response: PromiseLike<ProviderResult> =
      options.isNonStreaming === true ? languageModel.doGenerate(request) : languageModel.doStream(request)
    const result = await raceOwnCancellation(response, stop)
    const { maxOutputTokens } = request
    const { mayCall, isSideCall: isSilent = false } = options
    const guards = isSilent ? NO_GUARDS : outputGuards(run)
    const isJson = request.responseFormat?.type === 'json'
    const call = { handle, stop, watch, mayCall, isSilent, guards, isJson, maxOutputTokens }
    if (result === undefined) answer = stoppedFault(run, stop)
    else
      answer =
        'content' in result ? readWholeAnswer(run, result, call) : await readAnswer(run, result.stream, call)
  } catch (thrown) {
    answer =
      stop.reason === undefined
        ? { ...thrownFault(run, handle, thrown), isFree: isRefusal(thrown) }
        : stoppedFault(run, stop)
  }
  watch.end()
  stop.detach()
  // cancel the remains of a failed call, such as its connection
  if ('failure' in answer) stop.cancel(answer.failure)
  return releasePermit(run, { handle, permit: options.permit }, answer)
}

const NO_GUARDS: readonly Guard[] = Object.freeze([])

/** Returns the output guards of a run. */
export function outputGuards({ prepared }: Pick<PreparedRun, 'prepared'>): readonly Guard[] {
  return prepared.guards?.output ?? NO_GUARDS
}

/** Returns the model of the run. Opens it on its first call. */
function openModel(run: PreparedRun, handle: ModelHandle): LanguageModel {
  const known = run.openModels.get(handle)
  if (known !== undefined) return known
  // a call that was cancelled with its run is repeated
  const calls = run.log.journal?.usage.filter(
    ({ model, error }) => model === handle.id && error?.class !== 'cancelled',
  ).length
  const { definition, request, root } = run
  const caller = { runId: request.runId, ...(calls === undefined ? {} : { calls }) }
  const model =
    root.interceptor?.openModel?.(handle, { definition, ...caller }) ??
    handle.open({ agent: request.agent.name, ...caller })
  run.openModels.set(handle, model)
  return model
}

function toRequest(
  run: PreparedRun,
  { prepared, handle }: TriedModel,
  options: CallOptions,
): LanguageModelV4CallOptions {
  const { settings } = run.definition
  const output = options.output ?? run.output
  const messages = messagesForProvider(options.messages, handle.provider, run.prepared.models)
  const request: LanguageModelV4CallOptions = {
    // concat copies memory, a spread iterates over the history
    prompt: systemMessages(run, prepared).concat(messages),
  }
  const tools = offeredTools(prepared)
  if (tools.length > 0) {
    request.tools = tools
    request.toolChoice = options.mayCall ? toolChoice(run, prepared) : { type: 'none' }
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

/** Returns which tools the model must call, as the client of the run requests. */
function toolChoice({ progress }: Run, { tools }: PreparedAgent): LanguageModelV4ToolChoice {
  const { choice = 'auto' } = progress.clientTurn
  if (typeof choice === 'string') return { type: choice }
  const name = clientToolName(choice.tool)
  for (const tool of tools.values())
    if (tool.source === 'client' && tool.name === name) return { type: 'tool', toolName: tool.wireName }
  return { type: 'auto' }
}

function systemMessages(run: Run, prepared: PreparedAgent): Message[] {
  const system = systemPrompt(run, prepared)
  return system === '' ? [] : [{ role: 'system', content: system }]
}

function jsonFormat(
  schema: JsonObject | undefined,
): NonNullable<LanguageModelV4CallOptions['responseFormat']> {
  return schema === undefined ? { type: 'json' } : { type: 'json', schema: schema }
}

type OfferedTool = NonNullable<LanguageModelV4CallOptions['tools']>[number]

const declarations = new WeakMap<PreparedAgent['tools'], OfferedTool[]>()

/** Returns the declarations of the tools, which are created once per agent and not once per turn. */
function offeredTools(prepared: PreparedAgent): OfferedTool[] {
  let tools = declarations.get(prepared.tools)
  if (tools === undefined) {
    tools = [...prepared.tools.values()].map(toOfferedTool)
    declarations.set(prepared.tools, tools)
  }
  return tools
}

function toOfferedTool({ source, name, wireName, description, inputSchema }: ToolDefinition): OfferedTool {
  if (source === 'provider')
    return { type: 'provider', id: `troupe.${name.slice(PROVIDER_PREFIX.length)}`, name: wireName, args: {} }
  return {
    type: 'function',
    name: wireName,
    description,
    inputSchema,
  }
}

/** Beginning of the canonical names of tools that the provider executes. */
const PROVIDER_PREFIX = 'provider.'

/** Duration in ms above which calls are streamed, because a proxy may close a silent connection. */
const SLOW_MS = 20_000

/** Models that were slow once in this process. */
const slowModels = new WeakSet<ModelHandle>()

/**
 * Returns true if the request should not be streamed, which costs half as much: either the server cannot
 * stream, or nothing watches the answer, it is not expected to take long, and a retry could still stream it.
 */
function avoidsStreaming({ root, definition }: Run, handle: ModelHandle): boolean {
  if (handle.whole !== 'unwatched') return handle.whole === 'always'
  const { reasoning = 'none' } = definition.settings
  const isLight = reasoning === 'none' || reasoning === 0
  return !root.log.hasDeltaListeners && isLight && definition.limits.maxRetries > 0 && !slowModels.has(handle)
}

/** Remembers a model that was slow, so that its answers are streamed from then on. */
function rememberSlowModel(handle: ModelHandle, answer: CompleteAnswer | FailedAnswer, tookMs: number): void {
  const isLate = 'failure' in answer && answer.failure.code === 'model_timeout'
  if (isLate || tookMs > SLOW_MS) slowModels.add(handle)
}

/** Passes the request of a model call to the recording, with secrets sealed. */
function recordRequest(run: Run, recording: RunTreeRecording, request: LanguageModelV4CallOptions): void {
  const { abortSignal: _, ...rest } = request
  recording.onModelRequest(run.request.runId, sealed(run, toJson(rest)) as JsonObject)
}

/**
 * Returns the recorded answer instead of calling the model, and emits each text as a single delta.
 * `undefined` if the run was cancelled.
 */
async function replayAnswer(
  run: PreparedRun,
  replay: RunTreeReplay,
): Promise<CompleteAnswer | FailedAnswer | undefined> {
  const answer = await raceCancellation(replay.answer(run.request.runId), run.cancellation)
  if (answer === undefined) return undefined
  const { failure, partialText, isRetried: retryable, usage: replayed } = answer
  if (failure !== undefined)
    return { failure, retryable, replayed, ...(partialText === undefined ? {} : { partialText }) }
  const recorded = answer.step as unknown as RecordedAnswer
  const { content, finishReason, citations = [] } = recorded
  if (outputGuards(run).length === 0) for (const part of content) emitPart(run, part)
  return {
    content,
    text: textOf(recorded),
    citations,
    calls: callsOf(recorded),
    finishReason,
    usage: undefined,
    received: 0,
    replayed,
  }
}

function emitPart(run: LoggedRun, part: RecordedAnswer['content'][number]): void {
  if (!run.root.log.hasDeltaListeners || (part.type !== 'text' && part.type !== 'reasoning')) return
  const { turn } = run.progress
  const { type, text } = part
  if (type === 'text') run.log.emitTransient('text-start', { turn })
  run.log.emitTransient(`${type}-delta`, { text })
  if (type === 'text') run.log.emitTransient('text-end', { turn, text })
}

const providers = new WeakMap<Message, string>()

/** Remembers the provider of an assistant message that contains data for that provider only. */
export function rememberProvider(message: Message, provider: string): void {
  if (message.role === 'assistant' && message.content.some(isProviderSpecific))
    providers.set(message, provider)
}

/** Remembers the provider of a changed copy of an assistant message. */
export function inheritProvider(copy: Message, original: Message): void {
  const provider = providers.get(original)
  if (provider !== undefined) providers.set(copy, provider)
}

function isProviderSpecific(part: AssistantMessage['content'][number]): boolean {
  return isForeign(part) || part.providerOptions !== undefined
}

function isForeign(part: AssistantMessage['content'][number]): boolean {
  const { type } = part
  if (type === 'tool-call') return part.providerExecuted === true
  return type === 'tool-result' || type === 'reasoning' || type === 'reasoning-file' || type === 'custom'
}

/** Removes reasoning and provider data of other providers from the messages. */
function messagesForProvider(
  messages: readonly Message[],
  provider: string,
  models: readonly ModelHandle[],
): readonly Message[] {
  if (models.length < 2) return messages
  return messages.map((message) => {
    const author = providers.get(message)
    return author === undefined || author === provider ? message : withoutForeignParts(message)
  })
}

function withoutForeignParts(message: Message): Message {
  if (message.role !== 'assistant') return message
  const content = message.content
    .filter((part) => !isForeign(part))
    .map((part) => {
      const { providerOptions: _, ...rest } = part
      return rest
    })
  return { role: 'assistant', content }
}
