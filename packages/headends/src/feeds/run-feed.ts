import { TRANSIENT_EVENTS, type RunEvent } from '@troupe/schema'
import { createEventWriter } from '../event-writer.ts'

/** The newest events of one run, kept once for all who follow it in this process. Those told until the event loop turns are news together. */
export interface RunFeed {
  /** Behind the newest event: places grow by one with each. */
  readonly end: number
  /** The first place that is still known. */
  readonly start: number
  /** The `seq` of the newest kept event; 0: none was told. */
  readonly lastSeq: number
  /** The run itself has ended. */
  readonly isEnded: boolean
  /** The `seq` that a client must have for what stands at this place to be the next it needs. */
  seqBefore(place: number): number
  /** Everything from a place on, as blocks: the same bytes for all who are there. */
  from(place: number): Uint8Array
  tell(event: RunEvent): void
  /** Has all who follow look whether there is something. */
  ring(): void
  /** The answer takes the listener back. */
  listen(onNews: () => void): () => void
  readonly isWatched: boolean
}

/** Most that is kept for those who are late: events, and characters of them. */
const MOST_EVENTS = 1024
const MOST_TEXT = 1024 * 1024

interface Entry {
  readonly seqBefore: number
  readonly block: string
}

/** Nothing was told yet. */
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
  /** The oldest make room. */
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
      // something was not told here: who follows finds it in the store
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

/** Told by a run that was left: what is kept of it will say something else. */
function isUnkept(event: RunEvent): boolean {
  return event.seq === undefined && !TRANSIENT_EVENTS.has(event.type)
}
