import type { Clock } from '@troupe/schema'
import type { EventSource } from '../event-source.ts'
import { sseBlock } from '../sse-block.ts'
import type { KeptPage, KeptPages } from './kept-pages.ts'
import type { RunHub } from './run-hub.ts'

/** What a client follows. */
export interface Followed {
  readonly runId: string
  /** The last `seq` that the client has; 0: none. */
  readonly after: number
}

/** Where the events of a run come from. */
export interface RunSources {
  readonly pages: KeptPages
  readonly hub: Pick<RunHub, 'join'>
  readonly clock: Clock
  /** The run is at work in this process, so that its events are heard when they happen. */
  isLive(runId: string): boolean
  /** Told of a store that cannot be read; the client is let go of and comes back. */
  onError?(thrown: unknown): void
}

/** How often a run of another process is looked at, in ms. */
const POLL_MS = 500

/**
 * The events of a run for one client, from where it left off to the end of the run: those that are kept from the store, at the pace of the client, then
 * live ones. Each kept event comes exactly once and in order. A client that falls behind loses deltas, is told so (`lagged`), and reads the rest from the
 * store; the run waits for nobody, and what is told is kept and written once for all who follow.
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

  /** A page that was read; undefined: it is being read, or the client has all that is kept. */
  function takePage(): Uint8Array | undefined {
    if (page === undefined) {
      readStore()
      return undefined
    }
    const { bytes, last: newest, isEnd, isFull } = page
    page = undefined
    last = newest
    // one that never began has no end that could be read
    isOver = isEnd || (newest === 0 && !sources.isLive(runId))
    isStored = isFull
    // what was pushed out while it read is found in the store
    if (!isStored) place = Math.max(place, feed.start)
    return bytes.length > 0 ? bytes : undefined
  }

  /** What was told since. What is not the next for the client sends it back to the store. */
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
