import { type RunEvent, TRANSIENT_EVENTS } from '@troupe/schema'
import { runEventBlock } from '../sse/event-stream.ts'

/** The feeds of runs in this process. Followers may join before a run starts and while it is suspended. */
export interface RunHub {
  /** Returns the feed of a run. `leave` removes the listener. */
  join(runId: string, listener: () => void): { readonly feed: LiveFeed; leave(): void }
  publish(event: RunEvent): void
  /** Returns true if the run has followers. */
  isFollowed(runId: string): boolean
  /** Called when a run is no longer active here. Its followers then read the store. */
  notify(runId: string): void
}

/** Creates a hub without followers. Runs without followers are not buffered. */
export function createRunHub(): RunHub {
  const feeds = new Map<string, LiveFeed>()
  return {
    join(runId, listener) {
      const feed = feeds.get(runId) ?? createLiveFeed()
      feeds.set(runId, feed)
      const forget = feed.listen(listener)
      return {
        feed,
        leave() {
          forget()
          if (!feed.isWatched && feeds.get(runId) === feed) feeds.delete(runId)
        },
      }
    },
    publish: (event) => feeds.get(event.rootRunId)?.add(event),
    isFollowed: (runId) => feeds.has(runId),
    notify: (runId) => feeds.get(runId)?.notify(),
  }
}

/**
 * The newest events of one run, shared by all followers in this process. Listeners are called once per turn
 * of the event loop.
 */
interface LiveFeed {
  /** Position after the newest event. Positions grow by one with each event. */
  readonly end: number
  /** First position that is still available. */
  readonly start: number
  /** The `seq` of the newest persisted event; 0 if there is none. */
  readonly lastSeq: number
  /** True if the root run has ended. */
  readonly isEnded: boolean
  /** Returns the `seq` that a client must have for the event at this position to be its next one. */
  seqBefore(position: number): number
  /** Returns all events from a position on, formatted. Clients at the same position share the bytes. */
  from(position: number): Uint8Array
  add(event: RunEvent): void
  /** Calls all listeners. */
  notify(): void
  /** Adds a listener. Returns a function that removes it. */
  listen(listener: () => void): () => void
  readonly isWatched: boolean
}

/** Maximum number of events, and of their characters, for followers that are behind. */
const MAX_EVENTS = 1024
const MAX_TEXT = 1024 * 1024

interface LiveFeedEntry {
  readonly seqBefore: number
  readonly block: string
}

/** Creates an empty feed. */
function createLiveFeed(): LiveFeed {
  const listeners = new Set<() => void>()
  let entries: LiveFeedEntry[] = []
  let start = 0
  let size = 0
  let lastSeq = 0
  let isEmpty = true
  let isEnded = false
  let isCalling = false
  let formatted: { readonly position: number; readonly bytes: Uint8Array } | undefined
  const callListeners = (): void => {
    isCalling = false
    for (const listener of listeners) listener()
  }
  const notify = (): void => {
    if (isCalling) return
    isCalling = true
    setImmediate(callListeners)
  }
  /** Drops the oldest events beyond the limits. */
  const trim = (): void => {
    let count = 0
    while (entries.length - count > MAX_EVENTS || (size > MAX_TEXT && entries.length - count > 1)) {
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
    seqBefore: (position) => entries[position - start]?.seqBefore ?? lastSeq,
    from(position) {
      if (formatted?.position !== position) {
        const blocks = entries.slice(position - start).map(({ block }) => block)
        formatted = { position, bytes: Buffer.from(blocks.join('')) }
      }
      return formatted.bytes
    },
    add(event) {
      if (isUnpersisted(event)) return
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
      const block = runEventBlock(event)
      entries.push({ seqBefore, block })
      size += block.length
      formatted = undefined
      trim()
      notify()
    },
    notify,
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/**
 * Returns true for a persistent event without a `seq`. A suspended or interrupted run emits such events, and
 * the stored events will differ.
 */
function isUnpersisted(event: RunEvent): boolean {
  return event.seq === undefined && !TRANSIENT_EVENTS.has(event.type)
}
