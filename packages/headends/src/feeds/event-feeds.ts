import { troupeError, type Clock } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import type { RunHub } from './run-hub.ts'
import { withClose, type EventProducer } from '../sse/event-stream.ts'
import { readEventPage, type EventPageRange } from './event-page.ts'
import { createStoreWatch, followRun, type FollowRequest, createStoredPages } from './follow-run.ts'

/** The event streams of all clients that follow runs. */
export interface EventFeeds {
  /** Opens an event stream of a run. Throws `rate_limited` if the principal has too many open. */
  follow(request: FollowRequest, principal: string): EventProducer
  /**
   * Counts another stream of a client, which is created only if the principal may open one. Throws `rate_limited`
   * if it has too many open.
   */
  open(create: () => EventProducer, principal: string): EventProducer
  /** Returns persisted events in order, as JSON texts. A page of long events has fewer than `limit`. */
  page(runId: string, range: EventPageRange): Promise<readonly string[]>
  /** Ends all streams. Clients can reconnect at their last event. */
  close(): void
}

/** Creates feeds from a store and the active runs of a run service. */
export function createEventFeeds({
  runService,
  store,
  clock,
  maxFollowers,
  onError,
}: {
  readonly runService: Pick<RunHub, 'join' | 'publish'> & { isLive(runId: string): boolean }
  readonly store: Pick<RunStore, 'events' | 'steps' | 'follow'>
  readonly clock: Clock
  /** Maximum number of event streams per principal. */
  readonly maxFollowers: number
  onError?(thrown: unknown): void
}): EventFeeds {
  const open = new Set<EventProducer>()
  const followers = new Map<string, number>()
  const pages = createStoredPages(store)
  const watch = store.follow === undefined ? undefined : createStoreWatch(store.follow, runService)
  const report = onError === undefined ? {} : { onError }

  /** Throws `rate_limited` if the principal has as many streams as it may. */
  function checkLimit(principal: string): void {
    const count = followers.get(principal) ?? 0
    if (count < maxFollowers) return
    throw troupeError(
      'rate_limited',
      `${principal} already has ${count} open event streams, which is the limit.`,
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
      const remaining = (followers.get(principal) ?? 1) - 1
      if (remaining === 0) followers.delete(principal)
      else followers.set(principal, remaining)
    }
  }

  function openStream(create: () => EventProducer, principal: string): EventProducer {
    checkLimit(principal)
    const source = create()
    // Counted last, so that a stream that could not be opened is not counted.
    const releaseFollower = countFollower(principal)
    open.add(source)
    return withClose(source, () => {
      releaseFollower()
      open.delete(source)
      source.close()
    })
  }

  return {
    follow: (request, principal) =>
      openStream(
        () =>
          followRun(request, { pages, watch, clock, hub: runService, isLive: runService.isLive, ...report }),
        principal,
      ),
    open: openStream,
    page: (runId, range) => readEventPage(store, runId, range),
    close() {
      for (const source of open) source.close()
    },
  }
}
