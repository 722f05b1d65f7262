import { TRANSIENT_EVENTS, type RunEvent } from '@troupe/schema'
import { createEventWriter } from '../event-writer.ts'

/**
 * The newest events of one run, shared by all followers in this process. Listeners are called once per turn
 * of the event loop.
 */
export interface RunFeed {
  /** Position after the newest event. Positions grow by one with each event. */
  readonly end: number
  /** First position that is still available. */
  readonly start: number
  /** The `seq` of the newest persisted event; 0 if there is none. */
  readonly lastSeq: number
  /** True if the root run has ended. */
  readonly isEnded: boolean
  /** Returns the `seq` that a client must have for the event at this position to be its next one. */
  seqBefore(place: number): number
  /** Returns all events from a position on, formatted. Clients at the same position share the bytes. */
  from(place: number): Uint8Array
  tell(event: RunEvent): void
  /** Calls all listeners. */
  ring(): void
  /** Adds a listener. Returns a function that removes it. */
  listen(onNews: () => void): () => void
  readonly isWatched: boolean
}

/** Maximum number of events, and of their characters, for followers that are behind. */
const MOST_EVENTS = 1024
const MOST_TEXT = 1024 * 1024

interface Entry {
  readonly seqBefore: number
  readonly block: string
}

/** Creates an empty feed. */
export function createRunFeed(): RunFeed {
  const listeners = new Set<() => void>()
  const write = createEventWriter()
  let entries: Entry[] = []
  let start = 0
  let size = 0
  let lastSeq = 0
  let isEmpty = true
  let isEnded = false
  let isCalling = false
  let joined: { readonly place: number; readonly bytes: Uint8Array } | undefined
  const call = (): void => {
    isCalling = false
    for (const onNews of listeners) onNews()
  }
  const ring = (): void => {
    if (isCalling) return
    isCalling = true
    setImmediate(call)
  }
  /** Drops the oldest events beyond the limits. */
  const trim = (): void => {
    let count = 0
    while (entries.length - count > MOST_EVENTS || (size > MOST_TEXT && entries.length - count > 1)) {
      size -= entries[count]?.block.length ?? 0
      count += 1
    }
    if (count > 0) drop(count)
  }
  const drop = (count: number): void => {
    entries = entries.slice(count)
    start += count
  }
  return {
    get end() {
      return start + entries.length
    },
    get start() {
      return start
    },
    get lastSeq() {
      return lastSeq
    },
    get isEnded() {
      return isEnded
    },
    get isWatched() {
      return listeners.size > 0
    },
    seqBefore: (place) => entries[place - start]?.seqBefore ?? lastSeq,
    from(place) {
      if (joined?.place !== place) {
        const blocks = entries.slice(place - start).map(({ block }) => block)
        joined = { place, bytes: Buffer.from(blocks.join('')) }
      }
      return joined.bytes
    },
    tell(event) {
      if (isUnkept(event)) return
      const seqBefore = event.seq === undefined ? (event.after ?? 0) : event.seq - 1
      if (!isEmpty && seqBefore < lastSeq) return
      // Events are missing here. Followers find them in the store.
      if (seqBefore > lastSeq) {
        drop(entries.length)
        size = 0
      }
      isEmpty = false
      lastSeq = event.seq ?? seqBefore
      isEnded ||= event.type === 'run-end' && event.runId === event.rootRunId
      const block = write(event)
      entries.push({ seqBefore, block })
      size += block.length
      joined = undefined
      trim()
      ring()
    },
    ring,
    listen(onNews) {
      listeners.add(onNews)
      return () => void listeners.delete(onNews)
    },
  }
}

/**
 * Returns true for a persistent event without a `seq`. A suspended or interrupted run emits such events, and
 * the stored events will differ.
 */
function isUnkept(event: RunEvent): boolean {
  return event.seq === undefined && !TRANSIENT_EVENTS.has(event.type)
}
