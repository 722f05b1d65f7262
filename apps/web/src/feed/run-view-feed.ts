import {
  ApiError,
  type EventPage,
  type EventPageOptions,
  type FollowOptions,
  type RunEvent,
} from '@troupe/client'
import { EMPTY_RUN_VIEW_STATE, rootOf, type RunViewState } from '../reducers/run-view-state.ts'
import { foldInSlices, type FoldPorts } from './fold-in-slices.ts'

/**
 * The state of the event stream of a run: `over` if the run has ended and all events are loaded, `unknown` if
 * the server has no such run.
 */
export type FeedLink = 'opening' | 'live' | 'lost' | 'over' | 'unknown'

/** The state of a run in the page. */
export interface FeedState {
  readonly viewState: RunViewState
  readonly link: FeedLink
}

/** The live state of one root run. */
export interface RunViewFeed {
  /** Connects while there is at least one listener. Returns a function that removes this one. */
  subscribe(onChange: () => void): () => void
  getState(): FeedState
}

/** The browser functions that a feed calls, injected for tests. */
export interface FeedPorts extends FoldPorts {
  /** Loads a page of stored events of a run. */
  page(runId: string, options: EventPageOptions): Promise<EventPage>
  /** Yields the events of a run, and reconnects by itself unless the server refuses. */
  follow(runId: string, options: FollowOptions): AsyncIterable<RunEvent>
  /** Calls `draw` soon: before the next frame, or a little later if updates are frequent. */
  schedule(draw: () => void): void
  /** Calls `task` after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, task: () => void): () => void
  /**
   * Calls `task` whenever a lost server responds again, because an open stream may have failed silently.
   * Returns a function that cancels it.
   */
  onReconnect(task: () => void): () => void
}

/** Delay before a stream that the server has refused is opened again, in ms. */
const RETRY_MS = 15_000

/** Size of the pages after the first one. A run with fewer events than the default page needs one request. */
const PAGE = 10_000

/**
 * Creates the feed of a run: its stored events in pages, which are much faster than a stream, then the live ones.
 * Events are reduced in batches, at most once per frame, and large batches in several tasks, so that many events do not
 * block the page.
 */
export function createRunViewFeed(runId: string, ports: FeedPorts): RunViewFeed {
  const listeners = new Set<() => void>()
  let state: FeedState = { viewState: EMPTY_RUN_VIEW_STATE, link: 'opening' }
  let pendingEvents: RunEvent[] = []
  /** True from the first pending event until all events so far are reduced. */
  let isDraining = false
  let disconnect: (() => void) | undefined

  const change = (next: Partial<FeedState>): void => {
    state = { ...state, ...next }
    for (const listener of listeners) listener()
  }
  const drain = (): void => {
    const events = pendingEvents
    pendingEvents = []
    foldInSlices(state.viewState, events, ports, (viewState) => {
      const isOver = rootOf(viewState)?.state === 'done'
      if (isOver) disconnect?.()
      change({ viewState, ...(isOver ? { link: 'over' as const } : {}) })
      isDraining = pendingEvents.length > 0
      if (isDraining) ports.schedule(drain)
    })
  }
  const addEvents = (events: readonly RunEvent[]): void => {
    for (const event of events) pendingEvents.push(event)
    if (isDraining || pendingEvents.length === 0) return
    isDraining = true
    ports.schedule(drain)
  }
  const connect = (): void => {
    disconnect = keepOpen(runId, {
      ports,
      after: () => state.viewState.timeline.seq,
      onEvents: addEvents,
      onLink(link) {
        if (link === 'unknown') disconnect?.()
        change({ link })
      },
    })
  }

  return {
    subscribe(onChange) {
      listeners.add(onChange)
      if (listeners.size === 1 && state.link !== 'over' && state.link !== 'unknown') connect()
      return () => {
        listeners.delete(onChange)
        if (listeners.size === 0) disconnect?.()
      }
    },
    getState: () => state,
  }
}

/**
 * Keeps the stream of a run open until it is closed. Opens it again after the last known event when a lost server
 * responds again.
 */
function keepOpen(
  runId: string,
  {
    ports,
    after,
    onEvents,
    onLink,
  }: {
    readonly ports: FeedPorts
    /** Returns the `seq` of the last known event. */
    readonly after: () => number
    readonly onEvents: (events: readonly RunEvent[]) => void
    readonly onLink: (link: FeedLink) => void
  },
): () => void {
  let cancelRetry: (() => void) | undefined
  let connection = new AbortController()

  const read = async (signal: AbortSignal): Promise<void> => {
    const onConnection = (state: 'open' | 'lost'): void => onLink(state === 'open' ? 'live' : 'lost')
    try {
      const history = await loadHistory(runId, { ports, after: after(), signal, onEvents })
      if (history.isOver) return
      const options = { after: history.last, signal, onConnection }
      for await (const event of ports.follow(runId, options)) onEvents([event])
    } catch (thrown) {
      if (signal.aborted) return
      if (thrown instanceof ApiError && thrown.code === 'run_unknown') return onLink('unknown')
      onLink('lost')
      cancelRetry = ports.after(RETRY_MS, open)
    }
  }
  const open = (): void => {
    cancelRetry?.()
    connection.abort()
    connection = new AbortController()
    void read(connection.signal)
  }
  open()
  const cancelReturn = ports.onReconnect(open)
  return () => {
    cancelReturn()
    cancelRetry?.()
    connection.abort()
  }
}

/**
 * Loads the stored events after a `seq`, page by page. Returns the `seq` of the last one, and whether it ended the
 * run. After a failure, such as a lost connection, the stream has to deliver the rest. Rejects if there is no such
 * run, or if the signal aborts.
 */
async function loadHistory(
  runId: string,
  {
    ports,
    after,
    signal,
    onEvents,
  }: {
    readonly ports: Pick<FeedPorts, 'page'>
    readonly after: number
    readonly signal: AbortSignal
    readonly onEvents: (events: readonly RunEvent[]) => void
  },
): Promise<{ readonly last: number; readonly isOver: boolean }> {
  let last = after
  for (;;) {
    try {
      const { events, lastSeq } = await ports.page(
        runId,
        last === 0 ? { signal } : { after: last, limit: PAGE, signal },
      )
      signal.throwIfAborted()
      const end = events.at(-1)
      last = end?.seq ?? last
      onEvents(events)
      if (end?.type === 'run-end' && end.runId === end.rootRunId) return { last, isOver: true }
      if (end === undefined || last >= lastSeq) return { last, isOver: false }
    } catch (thrown) {
      if (signal.aborted || (thrown instanceof ApiError && thrown.code === 'run_unknown')) throw thrown
      return { last, isOver: false }
    }
  }
}
