import { userMessage, type EventPayloads, type Message, type Json, type ToolMessage } from '@troupe/schema'
import type { PreparedAgent } from '@troupe/schema/ports'
import { appendWarning } from '../log/problems.ts'
import { redacted, type Run } from '../run/run.ts'
import type { ConversationRun } from './conversation.ts'
import { measureContext, type ContextMeter } from './prompt-size.ts'
import { summarise, type AskSummariser } from './summarise.ts'
import { byteLength } from '../run/json.ts'

const KEEP_TURNS = 6
/**
 * Share of the available tokens that messages may use after shortening. It is far below the threshold, so
 * that the prompt prefix stays the same for many turns.
 */
const TARGET_SHARE = 0.5
/** Reason for shortening: near the limit of the context window, or rejected by the provider as too long. */
type ShortenReason = 'threshold' | 'overflow'

/**
 * Shortens the view of the conversation according to `context` of the card. The conversation itself is
 * unchanged. Returns false if nothing was shortened.
 */
export async function shortenContext(
  run: ConversationRun,
  prepared: PreparedAgent,
  cause: {
    readonly reason: ShortenReason
    readonly available: number | undefined
    /** Asks the model that summarises dropped messages. */
    readonly ask: AskSummariser
  },
): Promise<boolean> {
  const { conversation } = run
  const { strategy } = run.definition.context
  if (strategy === 'fail') return false
  const meter = measureContext(run, prepared)
  const long = toLongConversation(run, meter, cause.available)
  const plan = (strategy === 'trim' ? trimOlderResults(long) : undefined) ?? dropOldTurns(long)
  if (plan === undefined) return false
  const summary =
    strategy === 'summarise' && plan.dropped.length > 0
      ? await summaryOf(run, summarise(prepared, plan.dropped, cause.ask))
      : undefined
  if (run.cancellation.reason !== undefined) return false
  const before = meter.total
  const dropped = conversation.dropped + plan.dropped.filter((message) => !isNote(message)).length
  conversation.shorten(viewOf(plan, dropped, summary), dropped)
  const payload: EventPayloads['context-shortened'] = {
    strategy: summary === undefined ? 'trim' : 'summarise',
    reason: cause.reason,
    droppedMessages: dropped,
    trimmedResults: plan.trimmed,
    tokensBefore: before,
    tokensAfter: meter.fixed + meter.tokensOf(conversation.view),
    turn: run.progress.turn,
    ...(summary === undefined ? {} : { summary }),
  }
  run.log.appendEvent('context-shortened', payload, run.log.isPersistent ? { step: viewStep(run) } : {})
  return true
}

function toLongConversation(
  run: ConversationRun,
  meter: ContextMeter,
  available: number | undefined,
): LongConversation {
  const own = Math.max(0, meter.total - meter.fixed)
  const half = own * TARGET_SHARE
  const free = available === undefined ? half : Math.min(half, available * TARGET_SHARE - meter.fixed)
  return {
    messages: run.conversation.view,
    task: run.conversation.messages[run.conversation.historyLength],
    keepTurns: run.definition.context.keepTurns ?? KEEP_TURNS,
    target: Math.max(0, free),
    tokensOf: meter.tokensOf,
  }
}

/** Waits for the summary of the dropped messages. If it fails, warns and leaves them out without a summary. */
async function summaryOf(
  run: ConversationRun,
  summarising: ReturnType<typeof summarise>,
): Promise<string | undefined> {
  const summary = await summarising
  if (typeof summary === 'string') return redacted(run, summary)
  const { code, message } = summary.failure
  if (run.cancellation.reason === undefined)
    appendWarning(run, {
      weakens: true,
      code,
      message: `The conversation could not be summarised, so its oldest part was removed: ${message}`,
    })
  return undefined
}

function viewOf(plan: Shortening, dropped: number, summary: string | undefined): Message[] {
  if (dropped === 0) return [...plan.head, ...plan.tail]
  const note = markNote(Object.freeze(userMessage(noteText(dropped, summary))))
  return [...plan.head, note, ...plan.tail]
}

function noteText(dropped: number, summary: string | undefined): string {
  const what = `[The conversation grew too long, so ${dropped} earlier messages were removed here.`
  return summary === undefined ? `${what}]` : `${what} This is a summary of them.]\n\n${summary}`
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
function markNote(message: Message): Message {
  notes.add(message)
  return message
}

/** Returns true for a message that replaces dropped ones. */
function isNote(message: Message): boolean {
  return notes.has(message)
}

/** Creates the step that stores the view of a turn, so that a resumed run need not summarise again. */
function viewStep({ conversation, progress }: ConversationRun): {
  readonly key: string
  readonly value: Json
} {
  const indexes = new Map(conversation.messages.map((message, index) => [message, index]))
  const view = conversation.view.map(
    (message) => indexes.get(message) ?? (isNote(message) ? { note: message } : { trimmed: message }),
  )
  const { dropped } = conversation
  return { key: `context:${progress.turn}`, value: { dropped, view } as unknown as Json }
}

/** Restores the view that this turn had before the run was interrupted. */
export function recallView({ conversation, progress, log }: ConversationRun): void {
  const stored = log.journal?.step(`context:${progress.turn}`) as StoredView | undefined
  if (stored === undefined) return
  const view = stored.view.flatMap((item) => {
    if (typeof item === 'number') return conversation.messages[item] ?? []
    return 'note' in item ? markNote(Object.freeze(item.note)) : Object.freeze(item.trimmed)
  })
  conversation.shorten(view, stored.dropped)
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

/** A conversation to shorten. */
interface LongConversation {
  /** Messages as the model currently gets them. */
  readonly messages: readonly Message[]
  /** Message with the task of the run. It is never dropped. */
  readonly task: Message | undefined
  /** Number of latest turns to leave unchanged, if they fit. */
  readonly keepTurns: number
  /** Maximum tokens of the remaining messages. */
  readonly target: number
  tokensOf(messages: readonly Message[]): number
}

/** A shortened conversation. If messages were dropped, a note goes between `head` and `tail`. */
interface Shortening {
  readonly head: readonly Message[]
  readonly tail: readonly Message[]
  /** Dropped messages in order, to be summarised. */
  readonly dropped: readonly Message[]
  /** Number of tool results that were replaced by a note of their size. */
  readonly trimmed: number
}

/** Maximum tokens reserved for a note or summary. */
const NOTE_TOKENS = 1000

/** Replaces the results of older turns by notes. Returns `undefined` if that is not enough. */
function trimOlderResults(long: LongConversation): Shortening | undefined {
  const at = startOfLast(long.messages, long.keepTurns)
  const older = trimResults(long.messages.slice(0, at))
  const messages = [...older.messages, ...long.messages.slice(at)]
  if (older.trimmed === 0 || long.tokensOf(messages) > long.target) return undefined
  return { head: messages, tail: [], dropped: [], trimmed: older.trimmed }
}

/**
 * Drops the oldest turns. Leaves `keepTurns` or as many as fit, but at least one. If even the last turn is
 * too long, its results become notes. Calls are never separated from their results. Returns `undefined` if
 * there is nothing to drop.
 */
function dropOldTurns(long: LongConversation): Shortening | undefined {
  const { messages, tokensOf } = long
  const target = long.target - Math.min(NOTE_TOKENS, long.target / 4)
  for (let turns = long.keepTurns; turns >= 1; turns -= 1) {
    const cut = cutBefore(long, startOfLast(messages, turns))
    if (tokensOf([...cut.head, ...cut.tail]) <= target) return cut.dropped.length === 0 ? undefined : cut
  }
  const cut = cutBefore(long, startOfLast(messages, 1))
  const tail = trimResults(cut.tail)
  if (cut.dropped.length === 0 && tail.trimmed === 0) return undefined
  return { ...cut, tail: tail.messages, trimmed: tail.trimmed }
}

function cutBefore({ messages, task }: LongConversation, at: number): Shortening {
  const before = messages.slice(0, at)
  const head = before.filter((message) => message === task)
  const dropped = before.filter((message) => message !== task)
  return { head, tail: messages.slice(at), dropped, trimmed: 0 }
}

/** Returns the start index of the last `turns` model turns, with user messages directly before them. */
function startOfLast(messages: readonly Message[], turns: number): number {
  let at = messages.length
  for (let found = 0; found < turns && at > 0; found += 1) {
    const next = messages.slice(0, at).findLastIndex(({ role }) => role === 'assistant')
    if (next === -1) return 0
    at = next
  }
  while (at > 0 && messages[at - 1]?.role === 'user') at -= 1
  return at
}

type ToolMessagePart = ToolMessage['content'][number]

/** Maximum bytes of a result that is not trimmed: it is about as informative as the note would be. */
const WORTH_TRIMMING = 400

/** Replaces large tool results by a note of their size. Messages without any are returned unchanged. */
function trimResults(messages: readonly Message[]): {
  readonly messages: readonly Message[]
  readonly trimmed: number
} {
  let trimmed = 0
  const shorter = messages.map((message): Message => {
    if (message.role !== 'tool') return message
    const content = message.content.map((part) => {
      const short = shorten(part)
      if (short !== part) trimmed += 1
      return short
    })
    return content.every((part, index) => part === message.content[index])
      ? message
      : Object.freeze({ ...message, content })
  })
  return { messages: shorter, trimmed }
}

function shorten(part: ToolMessagePart): ToolMessagePart {
  if (part.type !== 'tool-result') return part
  const bytes = byteLength(JSON.stringify(part.output))
  if (bytes <= WORTH_TRIMMING) return part
  const value = `[result of ${bytes} bytes left out to shorten the conversation]`
  const isError = part.output.type === 'error-text' || part.output.type === 'error-json'
  return { ...part, output: { type: isError ? 'error-text' : 'text', value } }
}
