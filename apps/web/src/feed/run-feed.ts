import type { RunEvent } from '@troupe/schema'
import { EMPTY_PICTURE, reducePicture, rootOf, type Picture } from '../folds/picture.ts'

/** How the page is connected to the events of a run: `over` if the run has ended and all is known, `unknown` if the server has no such run. */
export type FeedLink = 'opening' | 'live' | 'lost' | 'over' | 'unknown'

/** A run as it stands in the page. */
export interface FeedState {
  readonly picture: Picture
  readonly link: FeedLink
}

/** The events of one root, folded as they come. */
export interface RunFeed {
  /** Connects while somebody listens. */
  subscribe(onChange: () => void): () => void
  getState(): FeedState
}

/** What a feed needs of the browser: injected, so that tests need none. */
export interface FeedPorts {
  /** Opens the stream of a path; the browser asks again by itself from the last id on, unless the server refuses. */
  open(path: string): Pick<EventSource, 'close' | 'readyState' | 'addEventListener'>
  /** Calls back before the next frame is drawn. */
  schedule(draw: () => void): void
  /** Calls back after some ms; the answer cancels it. */
  after(ms: number, task: () => void): () => void
  /** Asks the server for a path that stands for the stream. Resolves with true if it says that there is no such thing. */
  isUnknown(path: string): Promise<boolean>
  /** Calls back whenever a lost server answers again: a stream that was open may be dead without saying so. The answer cancels it. */
  onReturn(task: () => void): () => void
}

const CLOSED = 2
const RETRY_MS = 1000
const MAX_RETRY_MS = 15_000

/** A feed of the run of that id. Events are gathered and folded once a frame, so that a flood of them does not block the page. */
export function createRunFeed(runId: string, ports: FeedPorts): RunFeed {
  const listeners = new Set<() => void>()
  let state: FeedState = { picture: EMPTY_PICTURE, link: 'opening' }
  let waiting: RunEvent[] = []
  let disconnect: (() => void) | undefined

  const change = (next: Partial<FeedState>): void => {
    state = { ...state, ...next }
    for (const listener of listeners) listener()
  }
  const drain = (): void => {
    const events = waiting
    waiting = []
    const picture = reducePicture(state.picture, events)
    const isOver = rootOf(picture)?.state === 'done'
    if (isOver) disconnect?.()
    change({ picture, ...(isOver ? { link: 'over' as const } : {}) })
  }
  const take = (event: RunEvent): void => {
    if (waiting.push(event) === 1) ports.schedule(drain)
  }
  const connect = (): void => {
    const path = `./api/runs/${encodeURIComponent(runId)}/events`
    disconnect = keepOpen(path, {
      ports,
      after: () => state.picture.timeline.seq,
      onEvent: take,
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

/** Keeps a stream open until it is closed: what the browser gives up is opened anew, later each time, behind the last event that is known. */
function keepOpen(
  path: string,
  {
    ports,
    after,
    onEvent,
    onLink,
  }: {
    readonly ports: FeedPorts
    /** The `seq` of the last event that is known. */
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
    // also where the browser tries by itself: the answer tells whether the server is there
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
    const opened = ports.open(seq === 0 ? path : `${path}?after=${seq}`)
    source = opened
    opened.addEventListener('open', () => {
      wait = RETRY_MS
      onLink('live')
    })
    opened.addEventListener('message', ({ data }: MessageEvent<string>) =>
      onEvent(JSON.parse(data) as RunEvent),
    )
    opened.addEventListener('error', () => {
      if (opened === source) void onError(opened)
    })
  }
  begin()
  const cancelReturn = ports.onReturn(begin)
  return () => {
    isClosed = true
    cancelReturn()
    cancelRetry?.()
    source?.close()
  }
}
