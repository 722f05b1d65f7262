import type {
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
} from '@ai-sdk/provider'
import {
  failure,
  type AssistantMessage,
  type Citation,
  type Usage,
  type ErrorCode,
  type Failure,
} from '@troupe/schema'
import type { Guard, ModelHandle } from '@troupe/schema/ports'
import { createGuardedText } from '../guards/guarded-text.ts'
import { contentOf, createDraft, draftCitations, takePart, type AnswerDraft } from './answer-draft.ts'
import { stoppedFault, thrownFault, type FailedAnswer, type ModelFault } from './classify-model-error.ts'
import type { RequestedToolCall } from '../log/recorded-steps.ts'
import type { LoggedRun } from '../log/run-log.ts'
import type { Cancellation } from '../run/cancellation.ts'
import type { Run } from '../run/run.ts'

/** A complete answer of a model. */
export interface CompleteAnswer {
  readonly content: AssistantMessage['content']
  readonly text: string
  /** Web pages that support the text. */
  readonly citations: readonly Citation[]
  readonly calls: readonly RequestedToolCall[]
  readonly finishReason: string
  readonly usage: LanguageModelV4Usage | undefined
  /** Number of characters received, including reasoning and arguments. */
  readonly received: number
  /** The text as output guards released it while it was written. */
  readonly released?: string
  /** Recorded usage, if the answer comes from a recording. */
  readonly replayed?: Usage
}

/** A model call whose answer is being read. */
interface ActiveModelCall {
  readonly handle: ModelHandle
  readonly stop: Cancellation
  readonly watch: StreamWatch
  readonly mayCall: boolean
  /** True if no listener of the run receives the text. */
  readonly isSilent: boolean
  /** Output guards that check the text. A part of it is only emitted once they let it pass. */
  readonly guards: readonly Guard[]
  /** True if the answer must be JSON, which guards check as a whole. */
  readonly isJson: boolean
  /** Output limit of the request. `undefined` if there is none. */
  readonly maxOutputTokens: number | undefined
}

/**
 * Reads a model stream to its end with a single reader, without stream layers. A stream with an error or
 * without a finish is a failed answer, whatever else it contains. After an error it is cancelled at once,
 * which closes its connection. Never rejects.
 */
export async function readAnswer(
  run: LoggedRun,
  stream: ReadableStream<LanguageModelV4StreamPart>,
  call: ActiveModelCall,
): Promise<CompleteAnswer | FailedAnswer> {
  const draft = toDraft(run, call)
  const meter = createOutputMeter(call.maxOutputTokens)
  const reader = stream.getReader()
  const cancelReader = (): void => {
    reader.cancel().catch(() => {
      // the stream cannot be cancelled, and is not read any more
    })
  }
  const unsubscribe = call.stop.onCancel(cancelReader)
  try {
    while (draft.error === undefined) {
      const { done, value } = await reader.read()
      if (call.stop.reason !== undefined || done) break
      call.watch.touch()
      const excess = meter.add(value)
      if (excess === undefined) takePart(run, draft, value)
      else draft.error = { thrown: excess }
    }
  } catch (thrown) {
    draft.error ??= { thrown }
  } finally {
    unsubscribe()
  }
  if (draft.error !== undefined) cancelReader()
  return concludeAnswer(run, draft, { ...call, received: meter.received })
}

/** Creates the draft of a call. Text that guards cannot check while it is written is not emitted. */
function toDraft({ root }: LoggedRun, { isSilent, guards, isJson }: ActiveModelCall): AnswerDraft {
  if (isSilent || guards.length === 0) return createDraft(isSilent)
  const guarded = isJson || !root.log.hasDeltaListeners ? undefined : createGuardedText(guards)
  return createDraft(guarded === undefined, guarded)
}

/** Converts a finished draft to an answer, or to its fault. */
function concludeAnswer(
  run: LoggedRun,
  draft: AnswerDraft,
  call: ActiveModelCall & { readonly received: number },
): CompleteAnswer | FailedAnswer {
  const fault = faultOf(run, draft, call)
  const { received } = call
  if (fault === undefined) return checkAnswer(draft, { ...call, received })
  return { ...fault, ...partOf(draft, call), usage: draft.finish?.usage, received }
}

function faultOf(
  run: LoggedRun,
  draft: AnswerDraft,
  { handle, stop }: ActiveModelCall,
): ModelFault | undefined {
  if (stop.reason !== undefined) return stoppedFault(run, stop)
  if (draft.error !== undefined) return thrownFault(run, handle, draft.error.thrown)
  if (draft.finish !== undefined) return undefined
  const incomplete = failure('model_bad_stream', "The model's answer broke off before it was complete.")
  return { failure: incomplete, retryable: true }
}

/** Returns the text of a failed answer, unless guards had to check it first. */
function partOf(draft: AnswerDraft, { guards }: ActiveModelCall): { readonly partialText?: string } {
  const { text } = contentOf(draft, false)
  return text === '' || guards.length > 0 ? {} : { partialText: text }
}

/** Reads a non-streaming answer by converting it to the parts of a stream. */
export function readWholeAnswer(
  run: LoggedRun,
  result: LanguageModelV4GenerateResult,
  call: ActiveModelCall,
): CompleteAnswer | FailedAnswer {
  const draft = toDraft(run, call)
  const meter = createOutputMeter(call.maxOutputTokens)
  for (const part of partsOf(result)) {
    const excess = meter.add(part)
    if (excess === undefined) takePart(run, draft, part)
    else draft.error ??= { thrown: excess }
  }
  return concludeAnswer(run, draft, { ...call, received: meter.received })
}

function partsOf({
  content,
  finishReason,
  usage,
}: LanguageModelV4GenerateResult): readonly LanguageModelV4StreamPart[] {
  const parts = content.flatMap((part, index) => contentParts(part, String(index)))
  parts.push({ type: 'finish', finishReason, usage })
  return parts
}

function contentParts(part: LanguageModelV4Content, id: string): LanguageModelV4StreamPart[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part]
  const { type, text, providerMetadata } = part
  const metadata = providerMetadata === undefined ? {} : { providerMetadata }
  const cited = part.type !== 'text' || part.citations === undefined ? {} : { citations: part.citations }
  return [
    { type: `${type}-start`, id, ...metadata },
    { type: `${type}-delta`, id, delta: text },
    { type: `${type}-end`, id, ...metadata, ...cited },
  ]
}

/**
 * Finish reason of an answer that the provider paused while it executed tools itself. It continues if it gets
 * the answer back.
 */
export const PAUSED: string = 'paused'

/** Decides if a finished stream is an answer: it needs a finish reason and some content. */
function checkAnswer(
  draft: AnswerDraft,
  call: ActiveModelCall & { readonly received: number },
): CompleteAnswer | FailedAnswer {
  const { mayCall, guards, received } = call
  const { content, text } = contentOf(draft, mayCall)
  const calls = mayCall ? draft.calls : []
  const usage = draft.finish?.usage
  const reason = draft.finish?.finishReason
  const refuse = (code: ErrorCode, message: string, retryable: boolean): FailedAnswer => ({
    failure: failure(code, message),
    retryable,
    usage,
    received,
    ...partOf(draft, call),
  })
  // without a reason from the provider, the connection ended and not the answer
  if (reason?.unified === 'interrupted' || (reason?.unified === 'other' && reason.raw === undefined))
    return refuse('model_bad_stream', "The model's answer broke off before it was complete.", true)
  if (reason?.unified === 'error')
    return refuse('model_bad_stream', 'The model ended its answer with an error.', true)
  if (reason?.unified === 'content-filter' && calls.length === 0) {
    const isShown = text !== '' && guards.length === 0
    return refuse('model_refused', isShown ? text : 'The provider withheld the answer.', false)
  }
  if (isEmpty(draft, text)) {
    return reason?.unified === 'length'
      ? refuse('model_output_cut', 'The output token limit was reached before the answer began.', false)
      : refuse('model_empty_answer', 'The model returned an empty answer.', true)
  }
  const finishReason = reason?.raw === 'pause_turn' ? PAUSED : (reason?.unified ?? 'other')
  const released = draft.guarded === undefined ? {} : { released: draft.guarded.released }
  const citations = draftCitations(draft)
  return { content, text, citations, calls, finishReason, usage, received, ...released }
}

/**
 * Returns true if there is only blank text or reasoning. A call counts as content, even if none was allowed.
 */
function isEmpty(draft: AnswerDraft, text: string): boolean {
  return (
    text.trim() === '' &&
    draft.calls.length === 0 &&
    draft.parts.every((part) => part.type === 'text' || part.type === 'reasoning' || part.type === 'custom')
  )
}

/** Maximum characters of one answer: reasoning, text and arguments together. */
const MAX_OUTPUT = 1_048_576
/** Upper bound of the average characters per token in an answer. */
const CHARACTERS_PER_TOKEN = 16
/** Characters that are always allowed, so that a small token limit is not applied too strictly. */
const FREE_CHARACTERS = 4096

/**
 * Counter of the characters of one answer. Detects a model that does not end, or a provider that ignores
 * `maxOutputTokens`.
 */
interface OutputMeter {
  /** Number of characters so far. */
  readonly received: number
  /** Counts a part. Returns a failure as soon as the limit is exceeded. */
  add(part: LanguageModelV4StreamPart): Failure | undefined
}

function createOutputMeter(maxOutputTokens: number | undefined): OutputMeter {
  return new CharacterMeter(maxOutputTokens)
}

/** A class to save memory: every model call has one, and every delta is counted. */
class CharacterMeter implements OutputMeter {
  received = 0
  /** Characters of the arguments that were streamed before their call. */
  #pendingInput = 0
  readonly #most: number
  readonly #maxOutputTokens: number | undefined

  constructor(maxOutputTokens: number | undefined) {
    this.#maxOutputTokens = maxOutputTokens
    const byTokens = FREE_CHARACTERS + CHARACTERS_PER_TOKEN * (maxOutputTokens ?? Infinity)
    this.#most = Math.min(MAX_OUTPUT, byTokens)
  }

  add(part: LanguageModelV4StreamPart): Failure | undefined {
    this.received += this.#sizeOf(part)
    return this.received > this.#most ? this.#tooLong() : undefined
  }

  #sizeOf(part: LanguageModelV4StreamPart): number {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        return part.delta.length
      case 'tool-input-delta':
        this.#pendingInput += part.delta.length
        return part.delta.length
      case 'tool-call': {
        const rest = Math.max(0, part.input.length - this.#pendingInput)
        this.#pendingInput = 0
        return rest
      }
      case 'tool-result':
        return JSON.stringify(part.result).length
      default:
        return 0
    }
  }

  #tooLong(): Failure {
    const isOverTokens = this.#most < MAX_OUTPUT
    const limit = isOverTokens
      ? `the ${this.#maxOutputTokens} tokens it was allowed`
      : `${MAX_OUTPUT} characters`
    return failure('model_output_too_long', `The model was stopped: it wrote far more than ${limit}.`)
  }
}

/** Timeouts of one model call: `llmTimeout` in total, and `idleTimeout` without data. */
interface StreamWatch {
  /** Restarts the idle timeout. Call it for every part. */
  touch(): void
  end(): void
}

/** Starts one timer for both timeouts. It fires at the earlier one, and restarts if data came meanwhile. */
export function watchStream(run: Run, stop: Cancellation): StreamWatch {
  return new CallWatch(run, stop)
}

/** A class to save memory: every model call has one. */
class CallWatch implements StreamWatch {
  readonly #run: Run
  readonly #stop: Cancellation
  readonly #startedAt: number
  #touchedAt: number
  #cancel: () => void

  constructor(run: Run, stop: Cancellation) {
    const { clock } = run.root
    const { llmTimeout, idleTimeout } = run.definition.limits
    this.#run = run
    this.#stop = stop
    this.#startedAt = clock.monotonic()
    this.#touchedAt = this.#startedAt
    this.#cancel = clock.after(Math.min(llmTimeout, idleTimeout), this.#check)
  }

  readonly #check = (): void => {
    const { clock } = this.#run.root
    const { llmTimeout, idleTimeout } = this.#run.definition.limits
    const now = clock.monotonic()
    const remainingMs = llmTimeout - (now - this.#startedAt)
    const idleRemainingMs = idleTimeout - (now - this.#touchedAt)
    if (remainingMs <= 0)
      this.#stop.cancel(failure('model_timeout', `The model did not finish within ${llmTimeout} ms.`))
    else if (idleRemainingMs <= 0)
      this.#stop.cancel(failure('model_timeout', `The model sent nothing for ${idleTimeout} ms.`))
    // whole ms: a remainder that is too small to advance the clock would repeat forever
    else this.#cancel = clock.after(Math.ceil(Math.min(remainingMs, idleRemainingMs)), this.#check)
  }

  touch(): void {
    this.#touchedAt = this.#run.root.clock.monotonic()
  }

  end(): void {
    this.#cancel()
  }
}
