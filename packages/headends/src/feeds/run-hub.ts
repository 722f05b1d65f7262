import { CellMap, type RunEvent } from '@troupe/schema'
import { createRunFeed, type RunFeed } from './run-feed.ts'

/** The feeds of runs in this process. Followers may join before a run starts and while it is suspended. */
export interface RunHub {
  /** Returns the feed of a run. `leave` removes the listener. */
  join(runId: string, onNews: () => void): { readonly feed: RunFeed; leave(): void }
  tell(event: RunEvent): void
  /** Called when a run is no longer active here. Its followers then read the store. */
  left(runId: string): void
}

/** Creates a hub without followers. Runs without followers are not buffered. */
export function createRunHub(): RunHub {
  const feeds = new CellMap<string, RunFeed>()
  return {
    join(runId, onNews) {
      const feed = feeds.get(runId) ?? createRunFeed()
      feeds.set(runId, feed)
      const forget = feed.listen(onNews)
      return {
        feed,
        leave() {
          forget()
          if (!feed.isWatched && feeds.get(runId) === feed) feeds.delete(runId)
        },
      }
    },
    tell: (event) => feeds.get(event.rootRunId)?.tell(event),
    left: (runId) => feeds.get(runId)?.ring(),
  }
}
