import { useSyncExternalStore } from 'react'
import { request } from '../api/request.ts'
import { serverLink } from '../api/server-link.ts'
import { createRunViewFeed, type FeedPorts, type FeedState, type RunViewFeed } from './run-view-feed.ts'

/** Maximum number of cached feeds, so that going back to a run shows it at once. */
const MAX_FEEDS = 30

const browser: FeedPorts = {
  open: (path) => new EventSource(path),
  schedule: (draw) => {
    // A page in the background draws no frames, but must still process events.
    if (document.hidden) setTimeout(draw, 50)
    else requestAnimationFrame(draw)
  },
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
  async isUnknown(path) {
    const answer = await request(path.replace(/^\.\//u, ''))
    return !answer.ok && answer.failure.code === 'run_unknown'
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
