import type { Message } from '@troupe/schema'
import { trimResults } from './trim-results.ts'

/** A conversation that is to become shorter. */
export interface LongConversation {
  /** As the model sees it now. */
  readonly messages: readonly Message[]
  /** The message that says what the run is to do: it always stays. */
  readonly task: Message | undefined
  /** Turns of the model that stay whole at its end, where they fit. */
  readonly keepTurns: number
  /** Most tokens of the messages that are left. */
  readonly target: number
  tokensOf(messages: readonly Message[]): number
}

/** What stays of it. A note stands between `head` and `tail` where something was dropped. */
export interface Shortening {
  readonly head: readonly Message[]
  readonly tail: readonly Message[]
  /** In order; what a summary is made of. */
  readonly dropped: readonly Message[]
  /** Tool results that are left as a note of their size. */
  readonly trimmed: number
}

/** Most tokens that are left for a note or a summary. */
const NOTE_TOKENS = 1000

/** Only the results of older turns become notes, where that is enough. */
export function trimOlderResults(long: LongConversation): Shortening | undefined {
  const at = startOfLast(long.messages, long.keepTurns)
  const older = trimResults(long.messages.slice(0, at))
  const messages = [...older.messages, ...long.messages.slice(at)]
  if (older.trimmed === 0 || long.tokensOf(messages) > long.target) return undefined
  return { head: messages, tail: [], dropped: [], trimmed: older.trimmed }
}

/**
 * Drops the oldest turns: as many as `keepTurns` stay, fewer where they do not fit, at least one. Results of the last turn become notes where even
 * that is too long. A cut never parts a call from its result. Undefined: there is nothing to drop.
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

/** Where the last so many turns of the model start; what a person said right before them belongs to them. */
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
