import { OpenList, type Clock, type RunEvent, type RunStore } from '@troupe/schema'
import type { EventSource } from '../event-source.ts'
import { followRun, type Followed } from './follow-run.ts'
import { createKeptPages } from './kept-pages.ts'
import type { RunDesk } from '../desk/run-desk.ts'

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
  onError,
}: {
  readonly desk: Pick<RunDesk, 'join' | 'isLive'>
  readonly store: Pick<RunStore, 'events'>
  readonly clock: Clock
  onError?(thrown: unknown): void
}): EventFeeds {
  const open = new OpenList<EventSource>()
  const pages = createKeptPages(store)
  const report = onError === undefined ? {} : { onError }
  return {
    follow(followed) {
      const source = followRun(followed, { pages, clock, hub: desk, isLive: desk.isLive, ...report })
      const entry = open.add(source)
      return {
        read: () => source.read(),
        get isOver() {
          return source.isOver
        },
        onReady: (listener) => source.onReady(listener),
        close() {
          open.delete(entry)
          source.close()
        },
      }
    },
    page: async (runId, range) => store.events(runId, range),
    close() {
      for (const source of open.values()) source.close()
    },
  }
}
