import type { Change, Run } from '@troupe/client'
import { useMemo, useSyncExternalStore, useEffect, useState } from 'react'
import { changes } from '../api/changes.ts'
import { client } from '../api/client.ts'
import { loadQuery } from '../api/preload.ts'
import { firstEventsQuery, runQuery } from '../api/queries.ts'
import { serverLink, useServerLink } from '../api/server-link.ts'
import { isSettled, useRequest } from '../api/use-request.ts'
import { rootOf, withInterruption } from '../reducers/run-view-state.ts'
import { parseEvalRunId } from '../route/eval-run-ref.ts'
import { followEvalRun } from './follow-eval-run.ts'
import { yieldToBrowser } from './yield-to-browser.ts'
import { createRunViewFeed, type FeedPorts, type FeedState, type RunViewFeed } from './run-view-feed.ts'

/** Interval for requesting the state of an open run while the stream of changes fails, in ms. */
const STATE_MS = 5000

/** A run as described by its events and by the server. */
interface FollowedRun extends FeedState {
  /** The run as described by the server; `undefined` before its response, or if no request was made. */
  readonly details?: Run
  /** True once the server has described the run or has failed to. */
  readonly areDetailsSettled: boolean
}

/** Maximum number of cached feeds, so that going back to a run shows it at once. */
const MAX_FEEDS = 30

/** Time between two updates of the page in ms, so that many active runs leave it time for other work. */
const UPDATE_MS = 100

let lastUpdate = -Infinity

const browser: FeedPorts = {
  async page(runId, options) {
    // The events of an evaluation are not on the server as those of a run; the stream has them all.
    if (parseEvalRunId(runId) !== undefined) return { events: [], lastSeq: 0 }
    return options.after === undefined
      ? loadQuery(firstEventsQuery(runId), options)
      : client.runs.events(runId, options)
  },
  follow(runId, options) {
    const ref = parseEvalRunId(runId)
    return ref === undefined ? changes.follow(runId, options) : followEvalRun(ref, options.signal)
  },
  schedule(draw) {
    const update = (): void => {
      lastUpdate = performance.now()
      draw()
    }
    const wait = lastUpdate + UPDATE_MS - performance.now()
    // A page in the background draws no frames, but must still process events.
    if (wait > 0 || document.hidden) setTimeout(update, Math.max(0, wait))
    else requestAnimationFrame(update)
  },
  now: () => performance.now(),
  yieldTo: yieldToBrowser,
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
  onReconnect(task) {
    let { returns } = serverLink.getState()
    return serverLink.subscribe(() => {
      const now = serverLink.getState().returns
      if (now === returns) return
      returns = now
      task()
    })
  },
}

const feeds = new Map<string, RunViewFeed>()

/**
 * Follows a run by its events and, until it has ended, by its state on the server, because no event reports
 * an interruption. With `needsDetails`, the server is asked about ended runs too.
 */
export function useRun(
  runId: string,
  { needsDetails = false }: { readonly needsDetails?: boolean } = {},
): FollowedRun {
  const { viewState: feedViewState, link } = useRunFeed(runId)
  const root = rootOf(feedViewState)
  const isOpen = root !== undefined && root.state !== 'done'
  const request = useRequest(
    needsDetails || isOpen ? runQuery(runId) : undefined,
    isOpen ? { isStale: (change) => concernsRun(change, runId), everyMs: STATE_MS } : {},
  )
  const { value } = request
  const viewState = useMemo(
    () => (isOpen ? withInterruption(feedViewState, value) : feedViewState),
    [feedViewState, isOpen, value],
  )
  return {
    viewState,
    link,
    areDetailsSettled: isSettled(request),
    ...(value === undefined ? {} : { details: value }),
  }
}

function concernsRun(change: Change, runId: string): boolean {
  return change.type === 'runs' && change.runs.some((run) => run.runId === runId)
}

/** Returns the live state of a run. */
export function useRunFeed(runId: string): FeedState {
  const feed = feedOf(runId)
  return useSyncExternalStore(feed.subscribe, feed.getState)
}

function feedOf(runId: string): RunViewFeed {
  const known = feeds.get(runId)
  if (known !== undefined) return known
  const feed = createRunViewFeed(runId, browser)
  feeds.set(runId, feed)
  const [oldest] = feeds.keys()
  if (feeds.size > MAX_FEEDS && oldest !== undefined) feeds.delete(oldest)
  return feed
}

const TICK_MS = 100

/**
 * Returns the time in ms, updated while `isLive` is true and the server responds. It stops if the server is
 * lost, because the run may have ended.
 */
export function useNow(isLive: boolean): number {
  const { isLost } = useServerLink()
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isLive || isLost) return undefined
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isLive, isLost])
  return now
}
