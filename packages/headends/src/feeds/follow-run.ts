import type { Clock } from '@troupe/schema'
import type { EventSource } from '../event-source.ts'
import { sseBlock } from '../sse-block.ts'
import type { KeptPage, KeptPages } from './kept-pages.ts'
import type { RunHub } from './run-hub.ts'

/** The run that a client follows, and the client's position. */
export interface Followed {
  readonly runId: string
  /** The last `seq` that the client has; 0 if it has none. */
  readonly after: number
}

/** Sources of the events of a run. */
export interface RunSources {
  readonly pages: KeptPages
  readonly hub: Pick<RunHub, 'join'>
  readonly clock: Clock
  /** Returns true if the run is active in this process, so that its events arrive live. */
  isLive(runId: string): boolean
  /** Called if the store cannot be read. The stream is closed, and the client can reconnect. */
  onError?(thrown: unknown): void
}

/** Interval at which a run of another process is polled, in ms. */
const POLL_MS = 500

/**
 * Streams the events of a run to one client, from its position to the end of the run: persisted events from
 * the store at the client's pace, then live ones. Each persisted event is sent exactly once and in order. A
 * client that falls behind loses deltas, gets a `lagged` event and reads the rest from the store. The run
 * never waits for a client, and live events are formatted once for all clients.
 */
export function followRun({ runId, after }: Followed, sources: RunSources): EventSource {
  let listener: (() => void) | undefined
  let last = after
  let isOver = false
  let isStored = true
  let isReading = false
  let page: KeptPage | undefined
  let forgetPoll: (() => void) | undefined
  const ring = (): void => listener?.()
  const { feed, leave } = sources.hub.join(runId, ring)
  let place = feed.end

  function close(): void {
    isOver = true
    page = undefined
    forgetPoll?.()
    leave()
    ring()
  }

  function readStore(): void {
    isStored = true
    if (isReading) return
    isReading = true
    sources.pages.read(runId, last).then(
      (read) => {
        isReading = false
        if (isOver) return
        page = read
        ring()
      },
      (thrown: unknown) => {
        sources.onError?.(thrown)
        close()
      },
    )
  }

  /**
   * Returns the page that was read; `undefined` if it is being read or the client has all persisted events.
   */
  function takePage(): Uint8Array | undefined {
    if (page === undefined) {
      readStore()
      return undefined
    }
    const { bytes, last: newest, isEnd, isFull } = page
    page = undefined
    last = newest
    // A run that never started has no end event to read.
    isOver = isEnd || (newest === 0 && !sources.isLive(runId))
    isStored = isFull
    // Events that the feed dropped during the read are in the store.
    if (!isStored) place = Math.max(place, feed.start)
    return bytes.length > 0 ? bytes : undefined
  }

  /** Returns the live events after the client's position. Reads the store again if events are missing. */
  function takeNews(): string | Uint8Array | undefined {
    if (place < feed.start) {
      readStore()
      return sseBlock({ from: last, to: feed.lastSeq }, { event: 'lagged' })
    }
    while (place < feed.end && feed.seqBefore(place) < last) place += 1
    if (place === feed.end) return waitForNews()
    if (feed.seqBefore(place) > last) {
      readStore()
      return undefined
    }
    const bytes = feed.from(place)
    place = feed.end
    last = feed.lastSeq
    isOver = feed.isEnded
    return bytes
  }

  function waitForNews(): undefined {
    if (forgetPoll !== undefined || sources.isLive(runId)) return
    forgetPoll = sources.clock.after(POLL_MS, () => {
      forgetPoll = undefined
      readStore()
    })
  }

  readStore()
  return {
    get isOver() {
      return isOver
    },
    read() {
      if (isOver) return undefined
      const kept = isStored ? takePage() : undefined
      return kept ?? (isStored || isOver ? undefined : takeNews())
    },
    onReady(told) {
      listener = told
      setImmediate(ring)
    },
    close,
  }
}
