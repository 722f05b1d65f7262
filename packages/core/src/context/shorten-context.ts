import { userMessage, type EventPayloads, type Message, type PreparedAgent, type Json } from '@troupe/schema'
import { writeWarning } from '../log/problems.ts'
import { isPersistent, redacted, appendEvent, type Run } from '../run/run.ts'
import { measureContext, type ContextMeter } from './prompt-size.ts'
import { dropOldTurns, trimOlderResults, type LongConversation, type Shortening } from './plan-shortening.ts'
import { summarise } from './summarise.ts'

const KEEP_TURNS = 6
/**
 * Share of the available tokens that messages may use after shortening. It is far below the threshold, so
 * that the prompt prefix stays the same for many turns.
 */
const TARGET_SHARE = 0.5
/** Reason for shortening: near the limit of the context window, or rejected by the provider as too long. */
export type ShortenReason = 'threshold' | 'overflow'

/**
 * Shortens the view of the conversation according to `context` of the card. The conversation itself is
 * unchanged. Returns false if nothing was shortened.
 */
export async function shortenContext(
  run: Run,
  prepared: PreparedAgent,
  cause: { readonly reason: ShortenReason; readonly available: number | undefined },
): Promise<boolean> {
  const { strategy } = run.definition.context
  if (strategy === 'fail') return false
  const meter = measureContext(run, prepared)
  const long = toLong(run, meter, cause.available)
  const plan = (strategy === 'trim' ? trimOlderResults(long) : undefined) ?? dropOldTurns(long)
  if (plan === undefined) return false
  const summary =
    strategy === 'summarise' && plan.dropped.length > 0
      ? await summaryOf(run, prepared, plan.dropped)
      : undefined
  if (run.cancellation.reason !== undefined) return false
  const before = meter.total
  run.dropped += plan.dropped.filter((message) => !isNote(message)).length
  run.view = viewOf(run, plan, summary)
  run.reportedTokens = undefined
  const payload: EventPayloads['context-shortened'] = {
    strategy: summary === undefined ? 'trim' : 'summarise',
    reason: cause.reason,
    droppedMessages: run.dropped,
    trimmedResults: plan.trimmed,
    tokensBefore: before,
    tokensAfter: meter.fixed + meter.tokensOf(run.view),
    turn: run.turn,
    ...(summary === undefined ? {} : { summary }),
  }
  appendEvent(run, 'context-shortened', payload, isPersistent(run) ? { step: viewStep(run) } : {})
  return true
}

function toLong(run: Run, meter: ContextMeter, available: number | undefined): LongConversation {
  const own = Math.max(0, meter.total - meter.fixed)
  const half = own * TARGET_SHARE
  const free = available === undefined ? half : Math.min(half, available * TARGET_SHARE - meter.fixed)
  return {
    messages: run.view,
    task: run.messages[run.historyLength],
    keepTurns: run.definition.context.keepTurns ?? KEEP_TURNS,
    target: Math.max(0, free),
    tokensOf: meter.tokensOf,
  }
}

/** Summarises the dropped messages. If that fails, warns and leaves them out without a summary. */
async function summaryOf(
  run: Run,
  prepared: PreparedAgent,
  dropped: readonly Message[],
): Promise<string | undefined> {
  const summary = await summarise(run, prepared, dropped)
  if (typeof summary === 'string') return redacted(run, summary)
  const { code, message } = summary.failure
  if (run.cancellation.reason === undefined)
    writeWarning(run, {
      weakens: true,
      code,
      message: `The conversation could not be summarised, so its oldest part is left out: ${message}`,
    })
  return undefined
}

function viewOf(run: Run, plan: Shortening, summary: string | undefined): Message[] {
  if (run.dropped === 0) return [...plan.head, ...plan.tail]
  const note = markNote(Object.freeze(userMessage(noteText(run.dropped, summary))))
  return [...plan.head, note, ...plan.tail]
}

function noteText(dropped: number, summary: string | undefined): string {
  const what = `[The conversation grew too long: ${dropped} earlier messages are left out here.`
  return summary === undefined ? `${what}]` : `${what} This is their summary.]\n\n${summary}`
}

/** The value of a `context:` step: the shortened conversation as sent to the model. */
interface StoredView {
  readonly dropped: number
  /** Indexes of messages in the conversation, or messages that exist only in the view. */
  readonly view: readonly (number | { readonly note: Message } | { readonly trimmed: Message })[]
}

/** Messages that replace dropped ones. */
const notes = new WeakSet<Message>()

/** Marks a message as a replacement for dropped ones. */
export function markNote(message: Message): Message {
  notes.add(message)
  return message
}

/** Returns true for a message that replaces dropped ones. */
export function isNote(message: Message): boolean {
  return notes.has(message)
}

/** Creates the step that stores the view of a turn, so that a resumed run need not summarise again. */
export function viewStep(run: Run): { readonly key: string; readonly value: Json } {
  const indexes = new Map(run.messages.map((message, index) => [message, index]))
  const view = run.view.map(
    (message) => indexes.get(message) ?? (isNote(message) ? { note: message } : { trimmed: message }),
  )
  return { key: `context:${run.turn}`, value: { dropped: run.dropped, view } as unknown as Json }
}

/** Restores the view that this turn had before the run was interrupted. */
export function recallView(run: Run): void {
  const kept = run.journal?.step(`context:${run.turn}`) as StoredView | undefined
  if (kept === undefined) return
  run.dropped = kept.dropped
  run.reportedTokens = undefined
  run.view = kept.view.flatMap((item) => {
    if (typeof item === 'number') return run.messages[item] ?? []
    return 'note' in item ? markNote(Object.freeze(item.note)) : Object.freeze(item.trimmed)
  })
}

/** Default share of the context window from which on a conversation is shortened. */
const THRESHOLD = 0.8
/** Default number of tokens reserved for the answer, at most a quarter of the window. */
const ANSWER_TOKENS = 8192

/**
 * Returns the maximum tokens of a request before it is shortened, by the smallest context window of the
 * models, as any of them may be called. `undefined` if no window is known or the strategy is `fail`.
 */
export function availableTokens({ definition }: Run, { models }: PreparedAgent): number | undefined {
  let window = Infinity
  for (const { contextWindow = Infinity } of models) window = Math.min(window, contextWindow)
  if (window === Infinity || definition.context.strategy === 'fail') return undefined
  const answer = definition.settings.maxOutputTokens ?? ANSWER_TOKENS
  return Math.min(window * (definition.context.threshold ?? THRESHOLD), window - Math.min(answer, window / 4))
}
