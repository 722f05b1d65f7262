import type { Clock } from '@troupe/schema'
import type { EventProducer } from '../sse/event-stream.ts'
import { sseBlock } from '../sse/sse-block.ts'
import type { RunHub } from './run-hub.ts'
import type { StoredPage, StoredPages } from './stored-pages.ts'

/** The run that a client follows, and the client's position. */
export interface FollowRequest {
  readonly runId: string
  /** The last `seq` that the client has; 0 if it has none. */
  readonly after: number
}

/** Sources of the events of a run. */
interface RunSources {
  readonly pages: StoredPages
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
export function followRun({ runId, after }: FollowRequest, sources: RunSources): EventProducer {
  let listener: (() => void) | undefined
  let last = after
  let isOver = false
  let isStored = true
  let isReading = false
  let page: StoredPage | undefined
  let cancelPoll: (() => void) | undefined
  const notify = (): void => listener?.()
  const { feed, leave } = sources.hub.join(runId, notify)
  let position = feed.end

  function close(): void {
    isOver = true
    page = undefined
    cancelPoll?.()
    leave()
    notify()
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
        notify()
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
    if (!isStored) position = Math.max(position, feed.start)
    return bytes.length > 0 ? bytes : undefined
  }

  /** Returns the live events after the client's position. Reads the store again if events are missing. */
  function takeLiveEvents(): string | Uint8Array | undefined {
    if (position < feed.start) {
      readStore()
      return sseBlock({ from: last, to: feed.lastSeq }, { event: 'lagged' })
    }
    while (position < feed.end && feed.seqBefore(position) < last) position += 1
    if (position === feed.end) return pollStore()
    if (feed.seqBefore(position) > last) {
      readStore()
      return undefined
    }
    const bytes = feed.from(position)
    position = feed.end
    last = feed.lastSeq
    isOver = feed.isEnded
    return bytes
  }

  function pollStore(): undefined {
    if (cancelPoll !== undefined || sources.isLive(runId)) return
    cancelPoll = sources.clock.after(POLL_MS, () => {
      cancelPoll = undefined
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
      const storedBytes = isStored ? takePage() : undefined
      return storedBytes ?? (isStored || isOver ? undefined : takeLiveEvents())
    },
    onReady(callback) {
      listener = callback
      setImmediate(notify)
    },
    close,
  }
}
