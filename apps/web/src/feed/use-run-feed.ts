import { useSyncExternalStore } from 'react'
import { createRunFeed, type FeedPorts, type FeedState, type RunFeed } from './run-feed.ts'

/** Runs kept in the page, so that going back to one draws it at once. */
const KEPT = 30

const browser: FeedPorts = {
  open: (path) => new EventSource(path),
  schedule: (draw) => {
    // a page in the background draws no frames, and goes on folding
    if (document.hidden) setTimeout(draw, 50)
    else requestAnimationFrame(draw)
  },
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
}

const feeds = new Map<string, RunFeed>()

/** The run of that id as it stands, live. */
export function useRunFeed(runId: string): FeedState {
  const feed = feedOf(runId)
  return useSyncExternalStore(feed.subscribe, feed.getState)
}

function feedOf(runId: string): RunFeed {
  const known = feeds.get(runId)
  if (known !== undefined) return known
  const feed = createRunFeed(runId, browser)
  feeds.set(runId, feed)
  const [oldest] = feeds.keys()
  if (feeds.size > KEPT && oldest !== undefined) feeds.delete(oldest)
  return feed
}
