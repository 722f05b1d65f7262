import {
  type Citation,
  type Failure,
  type Message,
  failure,
  type EventPayloads,
  type Usage,
  type LanguageModel,
  type SampleAnswer,
  type SampleRequest,
} from '@troupe/schema'
import type { PreparedAgent, ModelHandle, BudgetScope } from '@troupe/schema/ports'
import { estimateContext, estimateInput, inputBound, storeReportedTokens } from '../context/prompt-size.ts'
import { availableTokens, recallView, shortenContext } from '../context/shorten-context.ts'
import type { AskSummariser } from '../context/summarise.ts'
import { systemPrompt } from '../context/system-prompt.ts'
import {
  callsOf,
  textOf,
  type RecordedAnswer,
  type RequestedToolCall,
  recordAnswer,
} from '../log/recorded-steps.ts'
import { outputGuards, rememberProvider, type CallOptions, callModel } from './call-model.ts'
import { callLoopHook, messagesForModel } from './loop-hooks.ts'
import { type OnContextOverflow, firstAttempt, nextAttempt, type AttemptState } from './next-attempt.ts'
import { callUsage, reserveCall, type PaidCall } from '../budget/reserve-call.ts'
import type { FailedAnswer } from './classify-model-error.ts'
import { appendProviderCalls } from './provider-calls.ts'
import type { CompleteAnswer } from './read-answer.ts'
import type { LoggedRun } from '../log/run-log.ts'
import type { ParentRun } from '../children/watch-child.ts'
import { guardAnswer } from './guard-answer.ts'

/** The answer of a model in one turn. */
export interface ModelAnswer {
  readonly message: Message
  readonly text: string
  /** Web pages that support the text. */
  readonly citations: readonly Citation[]
  readonly calls: readonly RequestedToolCall[]
  readonly finishReason: string
  /** Failure of the budget that lowered the output limit. `undefined` if it was not lowered. */
  readonly lowered: Failure | undefined
}

/**
 * Asks the model for one turn, with its hooks. Shortens the conversation first if it approaches the context
 * window. A turn that had an answer before the run was interrupted gets the same again.
 */
export async function askModel(
  run: PreparedRun,
  prepared: PreparedAgent,
  call: Pick<CallOptions, 'mayCall' | 'output'>,
): Promise<ModelAnswer | { readonly failure: Failure }> {
  recallView(run)
  const recorded = recordedAnswer(run)
  const isJson = (call.output ?? run.output).format === 'json'
  if (recorded !== undefined) return recallAnswer(run, recorded, isJson)
  const available = availableTokens(run, prepared)
  if (available !== undefined && estimateContext(run, prepared) > available)
    await shortenContext(run, prepared, { reason: 'threshold', available, ask: summariserOf(run) })
  const messages = await messagesForModel(run)
  if ('code' in messages) return { failure: messages }
  const result = await askModels(run, prepared, { ...call, messages, onOverflow: shortenOverflow })
  if ('failure' in result) return result
  const { calls, finishReason, lowered } = result.answer
  const guarded =
    run.prepared.guards === undefined ? result.answer : await guardAnswer(run, { ...result.answer, isJson })
  if ('failure' in guarded) return guarded
  const { content, text } = guarded
  const citations = releasedCitations(run, result.answer.citations)
  const message: Message = Object.freeze({ role: 'assistant', content })
  rememberProvider(message, result.handle.provider)
  if (text !== '') run.progress.lastText = text
  const hookFailure = await callLoopHook(run, 'afterModel', message)
  return hookFailure === undefined
    ? { message, text, citations, calls, finishReason, lowered }
    : { failure: hookFailure }
}

/** Returns the answer that this turn had before the run was interrupted, or `undefined`. */
export function recordedAnswer({ log, progress }: PreparedRun): RecordedAnswer | undefined {
  return log.journal?.step(`llm:${progress.turn}`) as RecordedAnswer | undefined
}

async function recallAnswer(
  run: PreparedRun,
  recorded: RecordedAnswer,
  isJson: boolean,
): Promise<ModelAnswer | AskFailure> {
  const { content: written, finishReason, provider, lowered } = recorded
  const unchecked = { content: written, text: textOf(recorded), isJson, isRecalled: true }
  const guarded = await guardAnswer(run, unchecked)
  if ('failure' in guarded) return guarded
  const { content, text } = guarded
  const message: Message = Object.freeze({ role: 'assistant', content })
  rememberProvider(message, provider)
  if (text !== '') run.progress.lastText = text
  const citations = releasedCitations(run, recorded.citations ?? [])
  return { message, text, citations, calls: callsOf(recorded), finishReason, lowered }
}

/** Returns no citations if the agent has output guards, because guards check texts only. */
function releasedCitations(run: PreparedRun, citations: readonly Citation[]): readonly Citation[] {
  return outputGuards(run).length === 0 ? citations : []
}

/** Shortens a conversation that the provider rejected as too long, and returns the messages to send. */
const shortenOverflow: OnContextOverflow = async (run, prepared) => {
  const cause = {
    reason: 'overflow',
    available: availableTokens(run, prepared),
    ask: summariserOf(run),
  } as const
  if (!(await shortenContext(run, prepared, cause))) return undefined
  const messages = await messagesForModel(run)
  return 'code' in messages ? undefined : messages
}

function summariserOf(run: PreparedRun): AskSummariser {
  return async (summariser, messages) => {
    const result = await askModels({ ...run, isSideCall: true }, summariser, {
      messages,
      mayCall: true,
      output: { format: 'text' },
      isSideCall: true,
    })
    return 'failure' in result ? result : result.answer
  }
}

/**
 * Calls the first model of the agent for a tool, outside of the conversation and without tools. The budget of the run
 * pays for it. Never rejects.
 */
export async function sampleModel(
  run: PreparedRun,
  { system, messages, maxOutputTokens }: SampleRequest,
  callId: string,
): Promise<SampleAnswer> {
  const { definition, prepared } = run
  const { settings } = definition
  const most = Math.min(maxOutputTokens, settings.maxOutputTokens ?? Infinity)
  const limited: PreparedRun = {
    ...run,
    isSideCall: true,
    definition: { ...definition, settings: { ...settings, maxOutputTokens: most } },
  }
  const models = prepared.models.slice(0, 1)
  const result = await askModels(
    limited,
    { ...prepared, models, system, tools: NO_TOOLS },
    { messages, mayCall: false, output: { format: 'text' }, isSideCall: true, callId },
  )
  if ('failure' in result) return result
  const { text, finishReason } = result.answer
  return { text, finishReason, model: result.handle.id }
}

const NO_TOOLS: PreparedAgent['tools'] = new Map()

/** A run whose agent is prepared, so that it can call its models. */
export interface PreparedRun extends ParentRun {
  readonly prepared: PreparedAgent
  /** Remaining budget. `undefined` if there is no limit. */
  readonly budget: BudgetScope | undefined
  /** Models called so far. Each is opened once per run, so that a scripted model continues at its step. */
  readonly openModels: Map<ModelHandle, LanguageModel>
}

/** An answer, with the failure of the budget that lowered its output limit. */
type PaidAnswer = CompleteAnswer & { readonly lowered?: Failure | undefined }

/** A model of the fallback list, in one turn. */
export interface TriedModel {
  readonly prepared: PreparedAgent
  readonly handle: ModelHandle
  /** True if there is no further model. */
  readonly isLast: boolean
}

/** An answer and the model that gave it. */
interface ModelsAnswer {
  readonly handle: ModelHandle
  readonly answer: PaidAnswer
}

/** The current model and attempt of a turn. */
interface ModelAttempt {
  /** Index of the model in the list. */
  readonly index: number
  readonly model: TriedModel
  readonly attempt: AttemptState
}

type AskFailure = { readonly failure: Failure }

/** Returns the answer of the first model that gives one. Retries failed calls while that may help. */
async function askModels(
  run: PreparedRun,
  prepared: PreparedAgent,
  call: CallOptions,
): Promise<ModelsAnswer | AskFailure> {
  const endWork = run.root.approvalGate?.startWork()
  try {
    let next = firstModelAttempt(run, prepared, { index: 0, call })
    while (!('failure' in next)) {
      const answer = await makePaidCall(run, call, next)
      if (!('failure' in answer)) return { handle: next.model.handle, answer }
      next = await afterFailure(run, next, { call, answer })
    }
    return next
  } finally {
    endWork?.()
  }
}

/** Reserves the budget of a call, makes it and records it. */
async function makePaidCall(
  run: PreparedRun,
  call: CallOptions,
  { model, attempt }: ModelAttempt,
): Promise<PaidAnswer | FailedAnswer | AskFailure> {
  const { messages } = attempt
  const { prepared, handle } = model
  const paid =
    run.budget &&
    (await reserveCall(run, run.budget, {
      prepared,
      handle,
      inputTokens: inputBound(run, prepared, { handle, messages }),
      mayCall: call.mayCall,
    }))
  if (paid !== undefined && 'failure' in paid) return paid
  const sent: CallOptions = { ...call, messages, ...(paid === undefined ? {} : { paid }) }
  const startedAt = run.root.clock.monotonic()
  const answer = await callModel(run, model, sent)
  return settle(run, model, { sent, paid, startedAt, answer })
}

function firstModelAttempt(
  run: PreparedRun,
  prepared: PreparedAgent,
  { index, call }: { readonly index: number; readonly call: CallOptions },
): ModelAttempt | AskFailure {
  const handle = prepared.models[index]
  if (handle === undefined)
    return { failure: failure('model_unset', `The agent ${run.request.agent.name} has no model.`) }
  const isLast = index === prepared.models.length - 1
  return { index, model: { prepared, handle, isLast }, attempt: firstAttempt(call.messages) }
}

/** Records a finished call in the budget, the account and the log. */
function settle(
  run: PreparedRun,
  { prepared, handle }: TriedModel,
  call: {
    readonly sent: CallOptions
    readonly paid: PaidCall | undefined
    readonly startedAt: number
    readonly answer: CompleteAnswer | FailedAnswer
  },
): PaidAnswer | FailedAnswer {
  const { sent, paid, answer } = call
  const { messages } = sent
  const latencyMs = run.root.clock.monotonic() - call.startedAt
  const maxOutputTokens = paid?.maxOutputTokens ?? run.definition.settings.maxOutputTokens
  const usage = callUsage({ ...answer, maxOutputTokens }, handle, () =>
    estimateInput(run, prepared, { handle, messages }),
  )
  paid?.settle(answer, usage)
  if (!('failure' in answer)) {
    const system = systemPrompt(run, prepared)
    storeReportedTokens(run.conversation, { handle, messages, system }, usage)
  }
  const isSideCall = sent.isSideCall === true
  if (!('failure' in answer) || answer.isUnsent !== true)
    recordCall(run, answer, {
      handle,
      usage,
      latencyMs,
      isSideCall,
      callId: sent.callId,
      lowered: paid?.lowered,
    })
  if (!('failure' in answer) && !isSideCall) appendProviderCalls(run, prepared, answer)
  return 'failure' in answer || paid === undefined ? answer : { ...answer, lowered: paid.lowered }
}

/** Returns another attempt with the same model, or the first one with the next model, or the failure. */
async function afterFailure(
  run: PreparedRun,
  { index, model, attempt }: ModelAttempt,
  { call, answer }: { readonly call: CallOptions; readonly answer: FailedAnswer | AskFailure },
): Promise<ModelAttempt | AskFailure> {
  const mayHelp = 'retryable' in answer && run.cancellation.reason === undefined
  const next = mayHelp ? await nextAttempt(run, model, { ...call, attempt, answer }) : answer
  if (!('failure' in next)) return { index, model, attempt: next }
  const { code } = next.failure
  if (model.isLast || run.cancellation.reason !== undefined || FINAL.has(code))
    return { failure: next.failure }
  const following = firstModelAttempt(run, model.prepared, { index: index + 1, call })
  if (!('failure' in following))
    run.log.appendEvent('model-fallback', { from: model.handle.id, to: following.model.handle.id, code })
  return following
}

/** Error codes that another model would not fix or must not bypass. */
const FINAL: ReadonlySet<string> = new Set(['context_overflow', 'budget_exceeded'])

/**
 * Records a model call: adds its usage to the account and appends a `usage` event, with the step to resume
 * from. Failed calls are recorded too.
 */
function recordCall(
  run: LoggedRun,
  answer: CompleteAnswer | FailedAnswer,
  call: {
    readonly handle: ModelHandle
    readonly usage: Usage
    readonly latencyMs: number
    /** True for a side call outside the conversation. It is only stored for replay. */
    readonly isSideCall: boolean
    /** The tool call that made a side call. */
    readonly callId: string | undefined
    /** Failure of the budget that lowered the limit of output tokens. */
    readonly lowered: Failure | undefined
  },
): void {
  const { handle, usage, latencyMs, lowered } = call
  const isPriced = handle.price !== undefined
  run.account.add(run.request.agent.name, usage, isPriced ? undefined : handle.id)
  if (!run.log.hasListeners) return
  const step =
    'failure' in answer || !run.log.isPersistent
      ? undefined
      : { key: stepKey(run, call), value: recordAnswer({ ...answer, lowered }, handle) }
  run.log.appendDraft(
    {
      ...run.log.envelope('usage', call.callId),
      provider: handle.provider,
      model: handle.id,
      tokens: usage,
      cost: isPriced ? usage.micros / 1_000_000 : null,
      latencyMs: Math.round(latencyMs),
      estimated: usage.estimated > 0,
      turn: run.progress.turn,
      ...('failure' in answer ? failureOf(answer) : {}),
    },
    step,
  )
  if ('failure' in answer && answer.rawBody !== undefined) emitRawBody(run, answer.rawBody)
}

function stepKey({ progress }: LoggedRun, { isSideCall }: { readonly isSideCall: boolean }): string {
  if (!isSideCall) return `llm:${progress.turn}`
  progress.sideCalls += 1
  return `aside:${progress.turn}.${progress.sideCalls}`
}

function failureOf({
  failure: error,
  partialText,
}: FailedAnswer): Pick<EventPayloads['usage'], 'error' | 'partialText'> {
  return { error, ...(partialText === undefined ? {} : { partialText }) }
}

const MAX_BODY = 4096

/** Emits the provider's response for debugging, in a transient event that is not stored or printed. */
function emitRawBody(run: LoggedRun, body: string): void {
  run.log.emitTransient('log', {
    text: 'The full response of the provider is in the data of this event.',
    data: { body: body.slice(0, MAX_BODY) },
  })
}
