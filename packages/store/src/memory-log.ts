import type { EventDraft, Json, LogEntry, RootLog, RunEvent, StoreDetail } from '@troupe/schema'
import { createListeners, tellOne } from './listeners.ts'
import { metadataEvent } from './metadata-event.ts'

/** Entries committed in one go; the event loop turns before the next. */
const SLICE = 300

/** What one root leaves behind: survives the log that wrote it. */
export interface RootRecord {
  readonly detail: StoreDetail
  /** Durable events; the one with `seq` n stands at n - 1. */
  readonly events: RunEvent[]
  /** By run, then by key. */
  readonly steps: Map<string, Map<string, Json>>
}

/** A log whose end is certain at once. */
export interface MemoryLog extends RootLog {
  close(): void
}

/** Empty, before anything was written. */
export function emptyRecord(detail: StoreDetail): RootRecord {
  return { detail, events: [], steps: new Map() }
}

interface Waiting {
  readonly entry: LogEntry | undefined
  readonly transient: EventDraft | undefined
}

interface Waiter {
  readonly until: number
  readonly resolve: () => void
}

/**
 * The log of one root in memory. Entries are committed when the event loop turns, in slices, then told; transient
 * events wait behind them. `close` commits what is left; what is written later is not taken.
 */
export function openMemoryLog(record: RootRecord, { onClose }: { readonly onClose: () => void }): MemoryLog {
  const listeners = createListeners()
  let queue: Waiting[] = []
  let waiters: Waiter[] = []
  let written = 0
  let committed = 0
  let scheduled = false
  let telling = false
  let left = false
  let closed = false

  function enqueue(waiting: Waiting): void {
    queue.push(waiting)
    schedule()
  }

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      commitSlice(SLICE)
      if (queue.length > 0) schedule()
    })
  }

  function commitSlice(size: number): void {
    const slice = queue.slice(0, size)
    queue = queue.slice(size)
    const told: RunEvent[] = []
    for (const { entry, transient } of slice) {
      if (transient !== undefined) told.push({ ...transient, after: record.events.length })
      if (entry === undefined) continue
      committed += 1
      const event = keep(record, entry)
      if (event !== undefined) told.push(event)
    }
    tellAll(told)
    const ready = waiters.filter((waiter) => waiter.until <= committed)
    waiters = waiters.filter((waiter) => waiter.until > committed)
    for (const waiter of ready) waiter.resolve()
  }

  function tellAll(events: readonly RunEvent[]): void {
    const outer = telling
    telling = true
    for (const event of events) listeners.tell(event)
    telling = outer
  }

  function tell(event: EventDraft): void {
    if (closed || !listeners.watched) return
    if (telling || queue.length > 0) enqueue({ entry: undefined, transient: event })
    else tellAll([{ ...event, after: record.events.length }])
  }

  return {
    active: true,
    get keeps() {
      return record.detail === 'full' && !left
    },
    get watched() {
      return listeners.watched
    },
    write(entry) {
      // the lease is given back: a late result has no place in the log any more
      if (closed) return
      if (left) {
        if (entry.event !== undefined) tell(entry.event)
        return
      }
      written += 1
      enqueue({ entry, transient: undefined })
    },
    tell,
    durable() {
      if (written === committed) return undefined
      return new Promise((resolve) => waiters.push({ until: written, resolve }))
    },
    steps: (runId) => new Map(record.steps.get(runId)),
    subscribe(listener, { deltas = true, after } = {}) {
      const last = record.events.length
      const from = after === undefined ? last : Math.min(Math.max(after, 0), last)
      const leave = listeners.add(listener, { deltas, next: last + 1 })
      for (const event of record.events.slice(from, last)) tellOne(listener, event)
      return leave
    },
    leave() {
      left = true
    },
    close() {
      if (closed) return
      closed = true
      while (queue.length > 0) commitSlice(SLICE)
      listeners.clear()
      onClose()
    },
  }
}

/** Writes step and event of one entry; the answer is the event with its place. */
function keep(record: RootRecord, { runId, step, event }: LogEntry): RunEvent | undefined {
  const isFull = record.detail === 'full'
  if (step !== undefined && isFull) stepsOf(record, runId).set(step.key, step.value)
  if (event === undefined) return undefined
  const placed = { ...event, seq: record.events.length + 1 }
  record.events.push(isFull ? placed : metadataEvent(placed))
  return placed
}

function stepsOf(record: RootRecord, runId: string): Map<string, Json> {
  const known = record.steps.get(runId)
  if (known !== undefined) return known
  const steps = new Map<string, Json>()
  record.steps.set(runId, steps)
  return steps
}
