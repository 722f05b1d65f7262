import type { RunEvent } from '@troupe/schema'
import {
  EMPTY_RUN_VIEW_STATE,
  reduceRunViewState,
  rootOf,
  type RunViewState,
} from '../reducers/run-view-state.ts'

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
export interface FeedPorts {
  /**
   * Opens the event stream of a path. The browser reconnects by itself with the last id, unless the server
   * refuses.
   */
  open(path: string): Pick<EventSource, 'close' | 'readyState' | 'addEventListener'>
  /** Calls `draw` before the next frame. */
  schedule(draw: () => void): void
  /** Calls `task` after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, task: () => void): () => void
  /** Checks the path of a stream with a request. Resolves with true if the server has no such run. */
  isUnknown(path: string): Promise<boolean>
  /**
   * Calls `task` whenever a lost server responds again, because an open stream may have failed silently.
   * Returns a function that cancels it.
   */
  onReconnect(task: () => void): () => void
}

const CLOSED = 2
const RETRY_MS = 1000
const MAX_RETRY_MS = 15_000

/**
 * Creates the feed of a run. Events are reduced in batches, once per frame, so that many events do not block
 * the page.
 */
export function createRunViewFeed(runId: string, ports: FeedPorts): RunViewFeed {
  const listeners = new Set<() => void>()
  let state: FeedState = { viewState: EMPTY_RUN_VIEW_STATE, link: 'opening' }
  let pendingEvents: RunEvent[] = []
  let disconnect: (() => void) | undefined

  const change = (next: Partial<FeedState>): void => {
    state = { ...state, ...next }
    for (const listener of listeners) listener()
  }
  const drain = (): void => {
    const events = pendingEvents
    pendingEvents = []
    const viewState = reduceRunViewState(state.viewState, events)
    const isOver = rootOf(viewState)?.state === 'done'
    if (isOver) disconnect?.()
    change({ viewState, ...(isOver ? { link: 'over' as const } : {}) })
  }
  const addEvent = (event: RunEvent): void => {
    if (pendingEvents.push(event) === 1) ports.schedule(drain)
  }
  const connect = (): void => {
    const path = `./api/runs/${encodeURIComponent(runId)}/events`
    disconnect = keepOpen(path, {
      ports,
      after: () => state.viewState.timeline.seq,
      onEvent: addEvent,
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
 * Keeps a stream open until it is closed. If the browser gives up, reopens it after the last known event,
 * with increasing delays.
 */
function keepOpen(
  path: string,
  {
    ports,
    after,
    onEvent,
    onLink,
  }: {
    readonly ports: FeedPorts
    /** Returns the `seq` of the last known event. */
    readonly after: () => number
    readonly onEvent: (event: RunEvent) => void
    readonly onLink: (link: FeedLink) => void
  },
): () => void {
  let wait = RETRY_MS
  let cancelRetry: (() => void) | undefined
  let source: ReturnType<FeedPorts['open']> | undefined
  let isClosed = false

  const onError = async (failed: typeof source): Promise<void> => {
    onLink('lost')
    // Also sent while the browser reconnects by itself, to detect whether the server responds.
    const isUnknown = await ports.isUnknown(`${path}?limit=1`)
    if (isClosed || failed !== source) return
    if (isUnknown) return onLink('unknown')
    if (failed?.readyState !== CLOSED) return
    cancelRetry = ports.after(wait, begin)
    wait = Math.min(2 * wait, MAX_RETRY_MS)
  }
  const begin = (): void => {
    cancelRetry?.()
    source?.close()
    const seq = after()
    const newSource = ports.open(seq === 0 ? path : `${path}?after=${seq}`)
    source = newSource
    newSource.addEventListener('open', () => {
      wait = RETRY_MS
      onLink('live')
    })
    newSource.addEventListener('message', ({ data }: MessageEvent<string>) =>
      onEvent(JSON.parse(data) as RunEvent),
    )
    newSource.addEventListener('error', () => {
      if (newSource === source) void onError(newSource)
    })
  }
  begin()
  const cancelReturn = ports.onReconnect(begin)
  return () => {
    isClosed = true
    cancelReturn()
    cancelRetry?.()
    source?.close()
  }
}
