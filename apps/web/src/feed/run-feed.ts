import type { RunEvent } from '@troupe/schema'
import { EMPTY_PICTURE, reducePicture, rootOf, type Picture } from '../folds/picture.ts'

/** How the page is connected to the events of a run: `over`, as the run has ended and all is known. */
export type FeedLink = 'opening' | 'live' | 'lost' | 'over'

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
    disconnect = keepOpen(`./api/runs/${encodeURIComponent(runId)}/events`, {
      ports,
      onEvent: take,
      onLink: (link) => change({ link }),
    })
  }

  return {
    subscribe(onChange) {
      listeners.add(onChange)
      if (listeners.size === 1 && state.link !== 'over') connect()
      return () => {
        listeners.delete(onChange)
        if (listeners.size === 0) disconnect?.()
      }
    },
    getState: () => state,
  }
}

/** Keeps a stream open until told to end: what the browser gives up is opened anew, later each time. */
function keepOpen(
  path: string,
  {
    ports,
    onEvent,
    onLink,
  }: {
    readonly ports: FeedPorts
    readonly onEvent: (event: RunEvent) => void
    readonly onLink: (link: FeedLink) => void
  },
): () => void {
  let wait = RETRY_MS
  let cancelRetry: (() => void) | undefined
  let source: ReturnType<FeedPorts['open']>
  const begin = (): void => {
    source = ports.open(path)
    source.addEventListener('open', () => {
      wait = RETRY_MS
      onLink('live')
    })
    source.addEventListener('message', ({ data }: MessageEvent<string>) =>
      onEvent(JSON.parse(data) as RunEvent),
    )
    source.addEventListener('error', () => {
      onLink('lost')
      if (source.readyState !== CLOSED) return
      cancelRetry = ports.after(wait, begin)
      wait = Math.min(2 * wait, MAX_RETRY_MS)
    })
  }
  begin()
  return () => {
    cancelRetry?.()
    source.close()
  }
}
