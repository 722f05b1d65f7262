import { CellMap, type RunEvent } from '@troupe/schema'
import { createRunFeed, type RunFeed } from './run-feed.ts'

/** Who follows which run of this process. Followers come and go, also before a run begins and between its parts. */
export interface RunHub {
  /** What is told of a run from now on. `leave` lets go of it. */
  join(runId: string, onNews: () => void): { readonly feed: RunFeed; leave(): void }
  tell(event: RunEvent): void
  /** A run is worked on no more: who follows it looks at what is kept. */
  left(runId: string): void
}

/** Nobody follows yet; of runs that nobody follows nothing is kept. */
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
