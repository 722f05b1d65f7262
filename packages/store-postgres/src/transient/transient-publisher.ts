import { TRANSIENT_EVENTS, type Clock, type Json, type RunEvent } from '@troupe/schema'
import type { RunTreeLog } from '@troupe/schema/ports'
import { fromColumn, type Database } from '../connection/database.ts'
import type { Notifications } from '../connection/notifications.ts'
import { waitAtMost } from '../connection/wait-at-most.ts'
import { demandChannel, toPayloads, transientChannel } from './transient-messages.ts'

/** Publishes the transient events of this process to followers in other processes, while a run has some. */
export interface TransientPublisher {
  /** Resolves when demand arrives. Rejects if the first attempt to connect fails, while further ones are made. */
  readonly isReady: Promise<void>
  /** Publishes the transient events of a log while its run tree is followed. */
  attach(rootRunId: string, log: Pick<RunTreeLog, 'subscribe'>): PublishedLog
  close(): void
}

/** A log whose transient events are published. */
interface PublishedLog {
  /** Sends the buffered events, and waits a second at most. Returns `undefined` if there are none. */
  flush(): Promise<void> | undefined
  detach(): void
}

/** Time in ms for which a demand counts. Followers repeat it in less than half of that. */
const DEMAND_MS = 10_000
/** Maximum number of run trees that are remembered as followed. */
const MAX_DEMANDS = 10_000
/** Time in ms for which events are collected before they are sent. */
const COLLECT_MS = 100
/** Longest time in ms that a commit waits for the events before it. */
const FLUSH_MS = 1000
/** Maximum size of the buffered events of a log in characters. */
const MAX_BUFFERED = 512 * 1024

type TextDelta = Extract<RunEvent, { readonly type: 'text-delta' | 'reasoning-delta' }>

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

interface EventBuffer {
  readonly rootRunId: string
  events: Mutable<RunEvent>[]
  size: number
  /** True if events were lost. The rest of the text is not sent, so that no text has gaps. */
  isInterrupted: boolean
}

/** Starts to listen to the demand of followers. */
export function createTransientPublisher({
  database,
  schema,
  notifications,
  clock,
}: {
  readonly database: Pick<Database, 'query'>
  readonly schema: string
  readonly notifications: Notifications
  readonly clock: Clock
}): TransientPublisher {
  /** Run trees that are followed, with the time until which the demand counts, the oldest first. */
  const demands = new Map<string, number>()
  /** Functions that subscribe to the logs of a run tree, unless they have. */
  const logs = new Map<string, Set<() => void>>()
  const filled = new Set<EventBuffer>()
  let sending: Promise<void> | undefined
  let nextSending: Promise<void> | undefined
  let cancelFlush: (() => void) | undefined
  let isClosed = false

  function isFollowed(rootRunId: string): boolean {
    return (demands.get(rootRunId) ?? 0) > clock.monotonic()
  }

  function onDemand(payload: string): void {
    const rootRunId = parseColumn(payload)
    if (rootRunId === undefined) return
    demands.delete(rootRunId)
    demands.set(rootRunId, clock.monotonic() + DEMAND_MS)
    const [oldest] = demands.keys()
    if (demands.size > MAX_DEMANDS && oldest !== undefined) demands.delete(oldest)
    for (const subscribe of logs.get(rootRunId) ?? []) subscribe()
  }

  function add(event: RunEvent, buffer: EventBuffer): void {
    if (event.type === 'text-start') buffer.isInterrupted = false
    if (buffer.isInterrupted || isClosed) return
    const last = buffer.events.at(-1)
    if (last !== undefined && isDelta(event) && isNextDelta(event, last)) last.text += event.text
    // copied, because other listeners may have the event
    else buffer.events.push({ ...event })
    buffer.size += sizeOf(event)
    filled.add(buffer)
    if (buffer.size > MAX_BUFFERED) interrupt(buffer)
    else cancelFlush ??= clock.after(COLLECT_MS, () => void flushAll())
  }

  function interrupt(buffer: EventBuffer): void {
    buffer.isInterrupted = true
    takeEvents(buffer)
  }

  function takeEvents(buffer: EventBuffer): readonly RunEvent[] {
    const { events } = buffer
    buffer.events = []
    buffer.size = 0
    filled.delete(buffer)
    return events
  }

  /** Sends all buffered events, with those that are added while earlier ones are being sent. */
  function flushAll(): Promise<void> {
    cancelFlush?.()
    cancelFlush = undefined
    nextSending ??= sendNext()
    return nextSending
  }

  async function sendNext(): Promise<void> {
    await sending
    nextSending = undefined
    sending = send([...filled])
    await sending
    sending = undefined
  }

  async function send(buffers: readonly EventBuffer[]): Promise<void> {
    if (buffers.length === 0) return
    const trees = Map.groupBy(buffers, ({ rootRunId }) => rootRunId)
    const messages = [...trees].flatMap(([rootRunId, ofTree]) => {
      const channel = transientChannel(schema, rootRunId)
      return toPayloads(ofTree.flatMap(takeEvents)).map((payload) => ({ channel, payload }))
    })
    try {
      await database.query('SELECT pg_notify(c, p) FROM unnest($1::text[], $2::text[]) AS m (c, p)', [
        messages.map(({ channel }) => channel),
        messages.map(({ payload }) => payload),
      ])
    } catch {
      // The database is away. Followers get the whole answers from the store.
      for (const buffer of buffers) interrupt(buffer)
    }
  }

  const { isReady, remove } = notifications.add(demandChannel(schema), { onNotification: onDemand })
  return {
    isReady,
    attach(rootRunId, log) {
      const buffer: EventBuffer = { rootRunId, events: [], size: 0, isInterrupted: false }
      let unsubscribe: (() => void) | undefined
      const stop = (): void => {
        unsubscribe?.()
        unsubscribe = undefined
      }
      const onEvent = (event: RunEvent): void => {
        if (event.seq !== undefined || !TRANSIENT_EVENTS.has(event.type)) return
        if (isFollowed(rootRunId)) add(event, buffer)
        else stop()
      }
      const subscribe = (): void => {
        unsubscribe ??= log.subscribe(onEvent)
      }
      const ofTree = logs.get(rootRunId) ?? new Set()
      logs.set(rootRunId, ofTree.add(subscribe))
      if (isFollowed(rootRunId)) subscribe()
      return {
        flush() {
          const sent = filled.has(buffer) ? flushAll() : sending
          return sent && waitAtMost(FLUSH_MS, sent, clock)
        },
        detach() {
          stop()
          ofTree.delete(subscribe)
          if (ofTree.size === 0 && logs.get(rootRunId) === ofTree) logs.delete(rootRunId)
        },
      }
    },
    close() {
      isClosed = true
      cancelFlush?.()
      void remove()
    },
  }
}

/** Returns an estimate of the size of an event in characters. */
function sizeOf(event: RunEvent): number {
  const { text = '', data } = event as { readonly text?: string; readonly data?: Json }
  return 100 + text.length + (data === undefined ? 0 : JSON.stringify(data).length)
}

/** Returns true if an event continues the text of the one before it. */
function isNextDelta(event: TextDelta, last: Mutable<RunEvent>): last is Mutable<TextDelta> {
  return last.type === event.type && last.runId === event.runId && last.after === event.after
}

function isDelta(event: RunEvent): event is TextDelta {
  return event.type === 'text-delta' || event.type === 'reasoning-delta'
}

/** Returns `undefined` for a payload that is not the text of a column. */
function parseColumn(payload: string): string | undefined {
  try {
    return fromColumn(payload)
  } catch {
    return undefined
  }
}
