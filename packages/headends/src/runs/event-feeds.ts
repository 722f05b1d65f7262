import type { Clock, RunEvent, RunStore } from '@troupe/schema'
import type { EventSource } from '../event-stream.ts'
import { followRun, type Followed } from './follow-run.ts'
import type { RunDesk } from './run-desk.ts'

/** All who follow runs. */
export interface EventFeeds {
  follow(followed: Followed): EventSource
  /** Kept events, in order. */
  page(runId: string, range: { readonly after: number; readonly limit: number }): Promise<readonly RunEvent[]>
  /** Ends all streams; clients come back with what they have. */
  close(): void
}

/** Feeds out of a store and the runs of a desk. */
export function createEventFeeds({
  desk,
  store,
  clock,
}: {
  readonly desk: Pick<RunDesk, 'listen' | 'isLive'>
  readonly store: Pick<RunStore, 'events'>
  readonly clock: Clock
}): EventFeeds {
  const open = new Set<EventSource>()
  return {
    follow(followed) {
      const source = followRun(followed, { store, clock, hub: desk, isLive: desk.isLive })
      open.add(source)
      return {
        next: () => source.next(),
        close() {
          open.delete(source)
          source.close()
        },
      }
    },
    page: async (runId, range) => store.events(runId, range),
    close() {
      for (const source of open) source.close()
      open.clear()
    },
  }
}
