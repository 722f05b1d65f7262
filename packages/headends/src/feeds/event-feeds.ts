import { OpenList, troupeError, type Clock, type RunEvent, type RunStore } from '@troupe/schema'
import type { EventSource } from '../event-source.ts'
import { followRun, type Followed } from './follow-run.ts'
import { createKeptPages } from './kept-pages.ts'
import type { RunDesk } from '../desk/run-desk.ts'

/** The event streams of all clients that follow runs. */
export interface EventFeeds {
  /** Opens an event stream of a run. Throws `rate_limited` if the principal has too many open. */
  follow(followed: Followed, principal: string): EventSource
  /** Returns persisted events in order. */
  page(runId: string, range: { readonly after: number; readonly limit: number }): Promise<readonly RunEvent[]>
  /** Ends all streams. Clients can reconnect at their last event. */
  close(): void
}

/** Creates feeds from a store and the active runs of a run service. */
export function createEventFeeds({
  desk,
  store,
  clock,
  maxFollowers,
  onError,
}: {
  readonly desk: Pick<RunDesk, 'join' | 'isLive'>
  readonly store: Pick<RunStore, 'events'>
  readonly clock: Clock
  /** Maximum number of event streams per principal. */
  readonly maxFollowers: number
  onError?(thrown: unknown): void
}): EventFeeds {
  const open = new OpenList<EventSource>()
  const followers = new Map<string, number>()
  const pages = createKeptPages(store)
  const report = onError === undefined ? {} : { onError }

  /** Throws `rate_limited` if the principal has as many streams as it may. */
  function checkLimit(principal: string): void {
    const count = followers.get(principal) ?? 0
    if (count < maxFollowers) return
    throw troupeError(
      'rate_limited',
      `${principal} has ${count} event streams open, and may not open another.`,
      {
        fix: 'Close one of them, or raise `limits.maxFollowers` of the server.',
      },
    )
  }

  /** Counts an open stream of a principal. Returns a function that removes it from the count. */
  function countFollower(principal: string): () => void {
    followers.set(principal, (followers.get(principal) ?? 0) + 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      const left = (followers.get(principal) ?? 1) - 1
      if (left === 0) followers.delete(principal)
      else followers.set(principal, left)
    }
  }

  return {
    follow(followed, principal) {
      checkLimit(principal)
      const source = followRun(followed, { pages, clock, hub: desk, isLive: desk.isLive, ...report })
      // Counted last, so that a stream that could not be opened is not counted.
      const leave = countFollower(principal)
      const entry = open.add(source)
      return {
        read: () => source.read(),
        get isOver() {
          return source.isOver
        },
        onReady: (listener) => source.onReady(listener),
        close() {
          leave()
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
