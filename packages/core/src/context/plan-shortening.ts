import type { Message, ToolMessage } from '@troupe/schema'
import { byteLength } from '../run/json.ts'

/** A conversation to shorten. */
export interface LongConversation {
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
export interface Shortening {
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
export function trimOlderResults(long: LongConversation): Shortening | undefined {
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
export function dropOldTurns(long: LongConversation): Shortening | undefined {
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
