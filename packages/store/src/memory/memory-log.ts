import type { EventDraft, Json, RunEvent, RunListener } from '@troupe/schema'
import {
  assignSequence,
  factsOfEntry,
  isUsage,
  metadataEvent,
  notifyListener,
  RunListeners,
  type LogEntry,
  type RootRunFacts,
  type RunTreeLog,
  type StoreDetail,
} from '@troupe/schema/ports'

/** Maximum number of entries that are committed before the event loop continues. */
const SLICE = 300

/** The stored data of one run tree. It outlives the log that wrote it. */
export interface RunTreeRecord {
  readonly detail: StoreDetail
  /** Durable events. The event with `seq` n is at index n - 1. */
  readonly events: RunEvent[]
  /** Steps by run id, then by key. */
  readonly steps: Map<string, Map<string, Json>>
  facts: RootRunFacts
}

/** A log that closes synchronously. */
export interface MemoryLog extends RunTreeLog {
  close(): void
}

/** Creates a record without entries. */
export function emptyRecord(detail: StoreDetail): RunTreeRecord {
  return { detail, events: [], steps: new Map(), facts: {} }
}

interface PendingEntry {
  readonly entry: LogEntry | undefined
  readonly transient: EventDraft | undefined
}

interface CommitWaiter {
  readonly until: number
  readonly resolve: () => void
}

/**
 * Opens the log of one run tree in memory. Entries are committed in slices when the event loop continues, and
 * then emitted. Transient events wait behind them. `close` commits pending entries; later ones are ignored.
 */
export function openMemoryLog(
  record: RunTreeRecord,
  { onClose }: { readonly onClose: () => void },
): MemoryLog {
  return new RecordLog(record, onClose)
}

/**
 * A class because there is one per run tree: an object literal with getters would be retained until the next
 * full garbage collection.
 */
class RecordLog implements MemoryLog {
  readonly isActive = true
  readonly #record: RunTreeRecord
  readonly #onClose: () => void
  readonly #listeners = new RunListeners()
  #queue: PendingEntry[] = []
  #waiters: CommitWaiter[] = []
  #written = 0
  #committed = 0
  #isScheduled = false
  #isEmitting = false
  #isDetached = false
  #isClosed = false

  constructor(record: RunTreeRecord, onClose: () => void) {
    this.#record = record
    this.#onClose = onClose
  }

  get isPersistent(): boolean {
    return this.#record.detail === 'full' && !this.#isDetached
  }

  get hasDeltaListeners(): boolean {
    return this.#listeners.hasDeltaListeners
  }

  append(entry: LogEntry): void {
    // the lease is released, so a late result must not be appended
    if (this.#isClosed) return
    if (this.#isDetached && !isUsage(entry)) {
      if (entry.event !== undefined) this.emitTransient(entry.event)
      return
    }
    this.#written += 1
    this.#enqueue({ entry, transient: undefined })
  }

  emitTransient(event: EventDraft): void {
    if (this.#isClosed || !this.#listeners.hasDeltaListeners) return
    if (this.#isEmitting || this.#queue.length > 0) this.#enqueue({ entry: undefined, transient: event })
    else this.#emitAll([assignSequence(event, { after: this.#record.events.length })])
  }

  waitForCommit(): Promise<void> | undefined {
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
    const unsubscribe = this.#listeners.add(listener, { deltas, next: last + 1 })
    for (const event of events.slice(from, last)) notifyListener(listener, event)
    return unsubscribe
  }

  detach(): void {
    this.#isDetached = true
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    while (this.#queue.length > 0) this.#commitSlice(SLICE)
    this.#listeners.clear()
    this.#onClose()
  }

  #enqueue(waiting: PendingEntry): void {
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
    const events: RunEvent[] = []
    for (const { entry, transient } of slice) {
      if (transient !== undefined)
        events.push(assignSequence(transient, { after: this.#record.events.length }))
      if (entry === undefined) continue
      this.#committed += 1
      const event = persistEntry(this.#record, entry)
      if (event !== undefined) events.push(event)
    }
    this.#emitAll(events)
    this.#resolveWaiters()
  }

  /** Removes the first entries from the queue, usually all. */
  #takeSlice(size: number): readonly PendingEntry[] {
    const queue = this.#queue
    this.#queue = queue.length > size ? queue.slice(size) : []
    return queue.length > size ? queue.slice(0, size) : queue
  }

  #resolveWaiters(): void {
    if (this.#waiters.length === 0) return
    const ready = this.#waiters.filter((waiter) => waiter.until <= this.#committed)
    this.#waiters = this.#waiters.filter((waiter) => waiter.until > this.#committed)
    for (const waiter of ready) waiter.resolve()
  }

  #emitAll(events: readonly RunEvent[]): void {
    const outer = this.#isEmitting
    this.#isEmitting = true
    for (const event of events) this.#listeners.emit(event)
    this.#isEmitting = outer
  }
}

/** Stores step and event of one entry. Returns the event with its `seq`. */
function persistEntry(record: RunTreeRecord, entry: LogEntry): RunEvent | undefined {
  const { runId, step, event } = entry
  const isFull = record.detail === 'full'
  const facts = factsOfEntry(entry, record.detail)
  if (facts !== undefined) record.facts = { ...record.facts, ...facts }
  if (step !== undefined && isFull) stepsOf(record, runId).set(step.key, step.value)
  if (event === undefined) return undefined
  const sequenced = assignSequence(event, { seq: record.events.length + 1 })
  record.events.push(isFull ? sequenced : metadataEvent(sequenced))
  return sequenced
}

function stepsOf(record: RunTreeRecord, runId: string): Map<string, Json> {
  const known = record.steps.get(runId)
  if (known !== undefined) return known
  const steps = new Map<string, Json>()
  record.steps.set(runId, steps)
  return steps
}
