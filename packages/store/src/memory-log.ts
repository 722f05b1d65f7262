import {
  placeEvent,
  type EventDraft,
  type Json,
  type LogEntry,
  type RootLog,
  type RunEvent,
  type RunListener,
  type StoreDetail,
} from '@troupe/schema'
import { Listeners, tellOne } from './listeners.ts'
import { metadataEvent } from './metadata-event.ts'
import { factsOf, type RootFacts } from './root-facts.ts'

/** Maximum number of entries that are committed before the event loop continues. */
const SLICE = 300

/** The stored data of one run tree. It outlives the log that wrote it. */
export interface RootRecord {
  readonly detail: StoreDetail
  /** Durable events. The event with `seq` n is at index n - 1. */
  readonly events: RunEvent[]
  /** Steps by run id, then by key. */
  readonly steps: Map<string, Map<string, Json>>
  facts: RootFacts
}

/** A log that closes synchronously. */
export interface MemoryLog extends RootLog {
  close(): void
}

/** Creates a record without entries. */
export function emptyRecord(detail: StoreDetail): RootRecord {
  return { detail, events: [], steps: new Map(), facts: {} }
}

/**
 * Returns true for the usage event of a model call. It is persisted even on a detached log, because the cost
 * has been incurred.
 */
export function isUsage({ event }: LogEntry): boolean {
  return event?.type === 'usage'
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
 * Opens the log of one run tree in memory. Entries are committed in slices when the event loop continues, and
 * then emitted. Transient events wait behind them. `close` commits pending entries; later ones are ignored.
 */
export function openMemoryLog(record: RootRecord, { onClose }: { readonly onClose: () => void }): MemoryLog {
  return new RecordLog(record, onClose)
}

/**
 * A class because there is one per run tree: an object literal with getters would be retained until the next
 * full garbage collection.
 */
class RecordLog implements MemoryLog {
  readonly active = true
  readonly #record: RootRecord
  readonly #onClose: () => void
  readonly #listeners = new Listeners()
  #queue: Waiting[] = []
  #waiters: Waiter[] = []
  #written = 0
  #committed = 0
  #isScheduled = false
  #isTelling = false
  #isLeft = false
  #isClosed = false

  constructor(record: RootRecord, onClose: () => void) {
    this.#record = record
    this.#onClose = onClose
  }

  get keeps(): boolean {
    return this.#record.detail === 'full' && !this.#isLeft
  }

  get watched(): boolean {
    return this.#listeners.watched
  }

  write(entry: LogEntry): void {
    // the lease is released, so a late result must not be appended
    if (this.#isClosed) return
    if (this.#isLeft && !isUsage(entry)) {
      if (entry.event !== undefined) this.tell(entry.event)
      return
    }
    this.#written += 1
    this.#enqueue({ entry, transient: undefined })
  }

  tell(event: EventDraft): void {
    if (this.#isClosed || !this.#listeners.watched) return
    if (this.#isTelling || this.#queue.length > 0) this.#enqueue({ entry: undefined, transient: event })
    else this.#tellAll([placeEvent(event, { after: this.#record.events.length })])
  }

  durable(): Promise<void> | undefined {
    if (this.#written === this.#committed) return undefined
    return new Promise((resolve) => this.#waiters.push({ until: this.#written, resolve }))
  }

  steps(runId: string): Map<string, Json> {
    return new Map(this.#record.steps.get(runId))
  }

  subscribe(
    listener: RunListener,
    { deltas = true, after }: { readonly deltas?: boolean; readonly after?: number } = {},
  ): () => void {
    const { events } = this.#record
    const last = events.length
    const from = after === undefined ? last : Math.min(Math.max(after, 0), last)
    const leave = this.#listeners.add(listener, { deltas, next: last + 1 })
    for (const event of events.slice(from, last)) tellOne(listener, event)
    return leave
  }

  leave(): void {
    this.#isLeft = true
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    while (this.#queue.length > 0) this.#commitSlice(SLICE)
    this.#listeners.clear()
    this.#onClose()
  }

  #enqueue(waiting: Waiting): void {
    this.#queue.push(waiting)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#commitSlice(SLICE)
      if (this.#queue.length > 0) this.#schedule()
    })
  }

  #commitSlice(size: number): void {
    const slice = this.#takeSlice(size)
    const told: RunEvent[] = []
    for (const { entry, transient } of slice) {
      if (transient !== undefined) told.push(placeEvent(transient, { after: this.#record.events.length }))
      if (entry === undefined) continue
      this.#committed += 1
      const event = keep(this.#record, entry)
      if (event !== undefined) told.push(event)
    }
    this.#tellAll(told)
    this.#tellWaiters()
  }

  /** Removes the first entries from the queue, usually all. */
  #takeSlice(size: number): readonly Waiting[] {
    const queue = this.#queue
    this.#queue = queue.length > size ? queue.slice(size) : []
    return queue.length > size ? queue.slice(0, size) : queue
  }

  #tellWaiters(): void {
    if (this.#waiters.length === 0) return
    const ready = this.#waiters.filter((waiter) => waiter.until <= this.#committed)
    this.#waiters = this.#waiters.filter((waiter) => waiter.until > this.#committed)
    for (const waiter of ready) waiter.resolve()
  }

  #tellAll(events: readonly RunEvent[]): void {
    const outer = this.#isTelling
    this.#isTelling = true
    for (const event of events) this.#listeners.tell(event)
    this.#isTelling = outer
  }
}

/** Stores step and event of one entry. Returns the event with its `seq`. */
function keep(record: RootRecord, { runId, step, event }: LogEntry): RunEvent | undefined {
  const isFull = record.detail === 'full'
  if (step !== undefined && isFull) stepsOf(record, runId).set(step.key, step.value)
  if (event === undefined) return undefined
  const placed = placeEvent(event, { seq: record.events.length + 1 })
  record.events.push(isFull ? placed : metadataEvent(placed))
  const facts = factsOf(placed, record.detail)
  if (facts !== undefined) record.facts = { ...record.facts, ...facts }
  return placed
}

function stepsOf(record: RootRecord, runId: string): Map<string, Json> {
  const known = record.steps.get(runId)
  if (known !== undefined) return known
  const steps = new Map<string, Json>()
  record.steps.set(runId, steps)
  return steps
}
