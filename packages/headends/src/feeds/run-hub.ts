import type { RunEvent } from '@troupe/schema'
import { createLiveFeed, type LiveFeed } from './live-feed.ts'

/** The feeds of runs in this process. Followers may join before a run starts and while it is suspended. */
export interface RunHub {
  /** Returns the feed of a run. `leave` removes the listener. */
  join(runId: string, listener: () => void): { readonly feed: LiveFeed; leave(): void }
  publish(event: RunEvent): void
  /** Called when a run is no longer active here. Its followers then read the store. */
  notify(runId: string): void
}

/** Creates a hub without followers. Runs without followers are not buffered. */
export function createRunHub(): RunHub {
  const feeds = new Map<string, LiveFeed>()
  return {
    join(runId, listener) {
      const feed = feeds.get(runId) ?? createLiveFeed()
      feeds.set(runId, feed)
      const forget = feed.listen(listener)
      return {
        feed,
        leave() {
          forget()
          if (!feed.isWatched && feeds.get(runId) === feed) feeds.delete(runId)
        },
      }
    },
    publish: (event) => feeds.get(event.rootRunId)?.add(event),
    notify: (runId) => feeds.get(runId)?.notify(),
  }
}
