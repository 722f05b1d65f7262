import type { Clock, RunEvent, RunListener } from '@troupe/schema'
import { notifyListener } from '@troupe/schema/ports'
import { fromColumn } from '../connection/database.ts'
import type { Notifications } from '../connection/notifications.ts'
import { faultOf, storeError } from '../connection/store-failure.ts'
import type { RootRuns } from './root-runs.ts'

/** Followers of run trees, whichever process writes them. */
export interface Followers {
  /** Calls the listener with the committed events of a run tree after a `seq`, in order and without gaps. */
  follow(
    rootRunId: string,
    range: { readonly after: number },
    listener: RunListener,
    onError: (thrown: unknown) => void,
  ): () => void
  close(): void
}

interface Follower {
  readonly listener: RunListener
  readonly onError: (thrown: unknown) => void
  /** `seq` of the last event that the listener received. */
  position: number
  isReading: boolean
  /** True if there may be events that the current read does not see. */
  isBehind: boolean
  isRemoved: boolean
}

/** Interval in ms at which followed run trees are read without a notification. */
const POLL_MS = 2000
/** Number of events that are read at once. */
const PAGE = 500

/** Creates followers that read when a notification arrives, and at an interval in case one is lost. */
export function createFollowers({
  name,
  runs,
  notifications,
  channel,
  clock,
}: {
  readonly name: string
  readonly runs: Pick<RootRuns, 'events' | 'lastSeqs'>
  readonly notifications: Notifications
  readonly channel: string
  readonly clock: Clock
}): Followers {
  const followers = new Map<string, Set<Follower>>()
  let stopListening: (() => Promise<void>) | undefined
  let stopPolling: (() => void) | undefined

  function remove(rootRunId: string, follower: Follower): void {
    follower.isRemoved = true
    const all = followers.get(rootRunId)
    all?.delete(follower)
    if (all?.size === 0) followers.delete(rootRunId)
    if (followers.size === 0) stop()
  }

  function stop(): void {
    stopPolling?.()
    stopPolling = undefined
    void stopListening?.()
    stopListening = undefined
  }

  /** Passes on all events that are not passed on yet. */
  async function read(rootRunId: string, follower: Follower): Promise<void> {
    follower.isBehind = true
    if (follower.isReading) return
    follower.isReading = true
    try {
      while (follower.isBehind && !follower.isRemoved) {
        follower.isBehind = false
        const events = await runs.events(rootRunId, { after: follower.position, limit: PAGE })
        for (const event of events) pass(event, follower)
        if (events.length === PAGE) follower.isBehind = true
      }
    } catch (thrown) {
      // If the database is away, the events are read at the next interval.
      if (faultOf(thrown) === 'other' && !follower.isRemoved) {
        remove(rootRunId, follower)
        follower.onError(storeError(thrown, name))
      }
    } finally {
      follower.isReading = false
    }
  }

  function readAll(rootRunId: string, lastSeq: number): void {
    for (const follower of followers.get(rootRunId) ?? [])
      if (follower.position < lastSeq) void read(rootRunId, follower)
  }

  function onNotification(payload: string): void {
    const [, seq, column] = /^(\d+) (.+)$/su.exec(payload) ?? []
    if (seq !== undefined && column !== undefined) readAll(fromColumn(column), Number(seq))
  }

  function pollLater(): void {
    stopPolling = clock.after(POLL_MS, () => void poll())
  }

  async function poll(): Promise<void> {
    try {
      for (const [rootRunId, seq] of await runs.lastSeqs([...followers.keys()])) readAll(rootRunId, seq)
    } catch {
      // The database is away, which the next interval may find changed.
    }
    if (stopPolling !== undefined) pollLater()
  }

  function start(): void {
    const { isReady, remove } = notifications.add(channel, {
      onNotification,
      onReconnect: () => {
        for (const rootRunId of followers.keys()) readAll(rootRunId, Infinity)
      },
    })
    // Until the connection is made, the interval finds the events.
    isReady.catch(() => undefined)
    stopListening = remove
    pollLater()
  }

  return {
    follow(rootRunId, { after }, listener, onError) {
      const follower: Follower = {
        listener,
        onError,
        position: Math.max(after, 0),
        isReading: false,
        isBehind: false,
        isRemoved: false,
      }
      const all = followers.get(rootRunId) ?? new Set()
      followers.set(rootRunId, all.add(follower))
      if (stopListening === undefined) start()
      void read(rootRunId, follower)
      return () => remove(rootRunId, follower)
    },
    close() {
      for (const all of followers.values()) for (const follower of all) follower.isRemoved = true
      followers.clear()
      stop()
    },
  }
}

function pass(event: RunEvent, follower: Follower): void {
  if (follower.isRemoved) return
  follower.position = event.seq ?? follower.position
  notifyListener(follower.listener, event)
}
