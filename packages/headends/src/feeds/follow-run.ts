import type { Clock, RunEvent } from '@troupe/schema'
import { QUEUED_STEP, type RunStore } from '@troupe/schema/ports'
import { type EventProducer, sseBlock, runEventBlock } from '../sse/event-stream.ts'
import type { RunHub } from './run-hub.ts'

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
  /** Publishes events that another process appends; `undefined` if the store has to be polled. */
  readonly watch: WatchStore | undefined
  /** Returns true if the run is active in this process, so that its events arrive live. */
  isLive(runId: string): boolean
  /** Called if the store cannot be read. The stream is closed, and the client can reconnect. */
  onError?(thrown: unknown): void
}

/** Interval in ms at which a run of another process is polled if the store cannot be watched. */
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
  let stopWatching: (() => void) | undefined
  const notify = (): void => listener?.()
  const { feed, leave } = sources.hub.join(runId, notify)
  let position = feed.end

  function close(): void {
    isOver = true
    page = undefined
    cancelPoll?.()
    stopWatching?.()
    leave()
    notify()
  }

  function readStore(): void {
    isStored = true
    if (isReading) return
    isReading = true
    sources.pages.read(runId, last).then((read) => {
      isReading = false
      if (isOver) return
      page = read
      notify()
    }, fail)
  }

  function fail(thrown: unknown): void {
    sources.onError?.(thrown)
    close()
  }

  /**
   * Returns the page that was read; `undefined` if it is being read or the client has all persisted events.
   */
  function takePage(): Uint8Array | undefined {
    if (page === undefined) {
      readStore()
      return undefined
    }
    const { bytes, last: newest, isEnd, isFull, isQueued } = page
    page = undefined
    last = newest
    // A run that never started has no end event to read.
    isOver = isEnd || (newest === 0 && !isQueued && !sources.isLive(runId))
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
    if (position === feed.end) return awaitStore()
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

  /** Waits for events of another process, which the hub or the store will have. */
  function awaitStore(): undefined {
    if (sources.isLive(runId)) return
    if (sources.watch !== undefined) {
      stopWatching ??= sources.watch({ runId, after: last }, fail)
      return
    }
    cancelPoll ??= sources.clock.after(POLL_MS, () => {
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

/** Persisted events of a run, formatted once for all clients. */
interface StoredPage {
  /** Formatted events; empty if there are none. */
  readonly bytes: Uint8Array
  /** The `seq` of the last event. */
  readonly last: number
  /** True if the page holds the end of the run. */
  readonly isEnd: boolean
  /** True if there may be more events. */
  readonly isFull: boolean
  /** True if the run was accepted and has no events yet. */
  readonly isQueued: boolean
}

/** Reader of the persisted events of runs, page by page. */
interface StoredPages {
  /** Returns the events after a `seq`. Calls in the same turn of the event loop share one read. */
  read(runId: string, after: number): Promise<StoredPage>
}

const PAGE = 256
/** Maximum size of the full pages in the cache, in bytes. Full pages do not change. */
const MAX_BYTES = 8 * 1024 * 1024

/** Creates a page reader over a store. */
export function createStoredPages(store: Pick<RunStore, 'events' | 'steps'>): StoredPages {
  const pending = new Map<string, Promise<StoredPage>>()
  const full = new Map<string, StoredPage>()
  let size = 0

  async function load(key: string, runId: string, after: number): Promise<StoredPage> {
    await new Promise((resolve) => void setImmediate(resolve))
    pending.delete(key)
    const events = await store.events(runId, { after, limit: PAGE })
    const isQueued = events.length === 0 && after === 0 && (await store.steps(runId, runId)).has(QUEUED_STEP)
    const page = { ...toPage(events, after), isQueued }
    if (page.isFull && !full.has(key)) cachePage(key, page)
    return page
  }

  function cachePage(key: string, page: StoredPage): void {
    full.set(key, page)
    size += page.bytes.length
    for (const [oldest, { bytes }] of full) {
      if (size <= MAX_BYTES) return
      full.delete(oldest)
      size -= bytes.length
    }
  }

  return {
    async read(runId, after) {
      const key = `${after} ${runId}`
      const cached = full.get(key) ?? pending.get(key)
      if (cached !== undefined) return cached
      const page = load(key, runId, after)
      pending.set(key, page)
      return page
    },
  }
}

function toPage(events: readonly RunEvent[], after: number): Omit<StoredPage, 'isQueued'> {
  return {
    bytes: Buffer.from(events.map(runEventBlock).join('')),
    last: events.at(-1)?.seq ?? after,
    isEnd: events.some(({ type, runId, rootRunId }) => type === 'run-end' && runId === rootRunId),
    isFull: events.length === PAGE,
  }
}

/**
 * Publishes the events that other processes append to a run after a `seq`, while they are not published by a run of
 * this process. Calls `onError` once if they cannot be read. Returns a function that stops it.
 */
type WatchStore = (request: FollowRequest, onError: (thrown: unknown) => void) => () => void

interface StoreFollow {
  readonly clients: Set<{ readonly onError: (thrown: unknown) => void }>
  stop(): void
}

/** Creates the watch of a store, which follows each run once for all clients. */
export function createStoreWatch(
  follow: NonNullable<RunStore['follow']>,
  { publish, isLive }: Pick<RunHub, 'publish'> & Pick<RunSources, 'isLive'>,
): WatchStore {
  const runs = new Map<string, StoreFollow>()

  function start({ runId, after }: FollowRequest): StoreFollow {
    const run: StoreFollow = { clients: new Set(), stop: () => undefined }
    runs.set(runId, run)
    run.stop = follow(
      runId,
      { after, wantsTransient: () => !isLive(runId) },
      (event) => {
        if (!isLive(runId)) publish(event)
      },
      (thrown) => {
        runs.delete(runId)
        for (const { onError } of run.clients) onError(thrown)
      },
    )
    return run
  }

  return (request, onError) => {
    const run = runs.get(request.runId) ?? start(request)
    const client = { onError }
    run.clients.add(client)
    return () => {
      run.clients.delete(client)
      if (run.clients.size > 0) return
      run.stop()
      if (runs.get(request.runId) === run) runs.delete(request.runId)
    }
  }
}
