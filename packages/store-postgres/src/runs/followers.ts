import type { Clock, RunEvent, RunListener } from '@troupe/schema'
import { notifyListener, type RunStore } from '@troupe/schema/ports'
import { fromColumn, toColumn, type Database } from '../connection/database.ts'
import type { Notifications } from '../connection/notifications.ts'
import { faultOf, storeError } from '../connection/store-failure.ts'
import { createPayloadReader, demandChannel, transientChannel } from '../transient/transient-messages.ts'
import { createTransientOrder, type TransientOrder } from '../transient/transient-order.ts'
import type { RootRuns } from './root-runs.ts'

/** Followers of run trees, whichever process writes them. */
export interface Followers {
  /** As `RunStore` says. */
  follow(
    rootRunId: string,
    range: FollowRange,
    listener: RunListener,
    onError: (thrown: unknown) => void,
  ): () => void
  close(): void
}

type FollowRange = Parameters<NonNullable<RunStore['follow']>>[1]

interface Follower {
  readonly listener: RunListener
  readonly onError: (thrown: unknown) => void
  /** `seq` of the last event that the listener received. */
  position: number
  isReading: boolean
  /** True if there may be events that the current read does not see. */
  isBehind: boolean
  isRemoved: boolean
  /** Set if the listener may want transient events. */
  transient?: {
    readonly order: TransientOrder
    readonly isWanted: () => boolean
    stop(): void
  }
}

/** Interval in ms at which followed run trees are read without a notification, and demand is repeated. */
const POLL_MS = 2000
/** Number of events that are read at once. */
const PAGE = 500

/** Creates followers that read when a notification arrives, and at an interval in case one is lost. */
export function createFollowers({
  database,
  schema,
  runs,
  notifications,
  channel,
  clock,
}: {
  readonly database: Pick<Database, 'name' | 'query'>
  /** Unquoted name of the PostgreSQL schema. */
  readonly schema: string
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
    follower.transient?.stop()
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
        // Transient events before these arrive over another connection.
        if (events.length > 0 && follower.transient?.isWanted() === true) await notifications.settle()
        for (const event of events) pass(event, follower)
        if (events.length === PAGE) follower.isBehind = true
      }
    } catch (thrown) {
      // If the database is away, the events are read at the next interval.
      if (faultOf(thrown) === 'other' && !follower.isRemoved) {
        remove(rootRunId, follower)
        follower.onError(storeError(thrown, database.name))
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
    void announceDemand([...followers.keys()])
    try {
      for (const [rootRunId, seq] of await runs.lastSeqs([...followers.keys()])) readAll(rootRunId, seq)
    } catch {
      // The database is away, which the next interval may find changed.
    }
    if (stopPolling !== undefined) pollLater()
  }

  /** Announces to workers the run trees whose followers want transient events. */
  async function announceDemand(rootRunIds: readonly string[]): Promise<void> {
    const wanted = rootRunIds.filter((rootRunId) =>
      [...(followers.get(rootRunId) ?? [])].some(({ transient }) => transient?.isWanted()),
    )
    if (wanted.length === 0) return
    try {
      await database.query('SELECT pg_notify($1, d) FROM unnest($2::text[]) d', [
        demandChannel(schema),
        wanted.map(toColumn),
      ])
    } catch {
      // The database is away. The next interval repeats it.
    }
  }

  /** Starts to receive the transient events of a run tree. */
  function receiveTransient(
    rootRunId: string,
    follower: Follower,
    isWanted: () => boolean,
  ): NonNullable<Follower['transient']> {
    const order = createTransientOrder(follower.position, {
      clock,
      listener: (event) => emit(event, follower),
    })
    const readPayload = createPayloadReader(rootRunId)
    const { isReady, remove: stop } = notifications.add(transientChannel(schema, rootRunId), {
      onNotification(payload) {
        for (const event of readPayload(payload)) order.add(event)
      },
    })
    isReady.then(
      () => announceDemand([rootRunId]),
      () => undefined,
    )
    return { order, isWanted, stop: () => void stop() }
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
    follow(rootRunId, { after, wantsTransient }, listener, onError) {
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
      if (wantsTransient !== undefined)
        follower.transient = receiveTransient(rootRunId, follower, wantsTransient)
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
  emit(event, follower)
  follower.transient?.order.onStored(event)
}

function emit(event: RunEvent, follower: Follower): void {
  if (!follower.isRemoved) notifyListener(follower.listener, event)
}
