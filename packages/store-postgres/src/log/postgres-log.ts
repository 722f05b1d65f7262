import {
  toFailure,
  TroupeError,
  type Clock,
  type EventDraft,
  type Failure,
  type Json,
  type RunEvent,
  type RunListener,
} from '@troupe/schema'
import {
  assignSequence,
  isUsage,
  notifyListener,
  RunListeners,
  type LogEntry,
  type RunTreeLog,
} from '@troupe/schema/ports'
import type { RunLease } from '../runs/leases.ts'
import { packEntry, type CommitBatch, type BatchEntry } from './commit-batch.ts'

/** Maximum number of entries of a batch, and of the bytes after which it gets no further entry. */
const BATCH_ENTRIES = 300
const BATCH_BYTES = 4 * 1024 * 1024
/** Number of stored events that are read at once for a new subscription. */
const PAGE = 500
/** Time in ms that closing a log waits for a database that is away. */
const CLOSE_MS = 10_000

/** Dependencies of a log. */
interface PostgresLogParts {
  readonly lease: RunLease
  readonly clock: Clock
  readonly commitBatch: CommitBatch
  /**
   * Called before each commit. The transient events before the batch are emitted by then, so that they can be
   * sent to followers in other processes first.
   */
  beforeCommit?(): Promise<void> | undefined
  /** Reads repeat while the database is away. */
  readEvents(
    range: { readonly after: number; readonly limit: number },
    isCancelled: () => boolean,
  ): Promise<readonly RunEvent[]>
  readSteps(runId: string, isCancelled: () => boolean): Promise<ReadonlyMap<string, Json>>
  release(isCancelled: () => boolean): Promise<void>
}

/** An entry to commit, or a transient event that waits behind earlier entries. */
interface QueuedItem {
  readonly entry?: LogEntry
  /** Present after the entry was put into a batch. */
  packed?: BatchEntry
  readonly transient?: EventDraft
}

interface PendingCommit {
  readonly until: number
  readonly resolve: () => void
  readonly reject: (reason: Error) => void
}

/** The log of a run tree, or of one run of a run tree. */
export interface PostgresRunLog extends RunTreeLog {
  /** True if the run was never opened before. */
  readonly isFirst: boolean
  /** The events of the run, and of the runs below it, have a higher `seq`. */
  readonly firstAfter: number
}

/** Creates the log of one lease. `close` releases the lease through `release`. */
export function createPostgresLog(parts: PostgresLogParts): PostgresRunLog {
  return new PostgresLog(parts)
}

/**
 * A log whose entries are committed batch by batch. Those that arrive during a commit form the next batch. A
 * class because there is one per run.
 */
class PostgresLog implements PostgresRunLog {
  readonly isActive = true
  readonly #parts: PostgresLogParts
  readonly #listeners = new RunListeners()
  #queue: QueuedItem[] = []
  #waiters: PendingCommit[] = []
  /** Reads of stored events for new subscriptions. Later events are emitted after them. */
  readonly #replays = new Set<Promise<void>>()
  #working: Promise<void> | undefined
  #written = 0
  #committed = 0
  #committedBatches = 0
  /** `seq` of the last event of the run tree that this log knows. */
  #lastSeq: number
  #lostReason: Failure | undefined
  #isDetached = false
  #isClosed = false
  /** Monotonic time at which a closing log gives up waiting for the database. */
  #closeBefore = Infinity

  constructor(parts: PostgresLogParts) {
    this.#parts = parts
    this.#lastSeq = parts.lease.lastSeq
  }

  get isFirst(): boolean {
    return this.#parts.lease.fence === 1
  }

  get firstAfter(): number {
    return this.#parts.lease.firstAfter
  }

  get isPersistent(): boolean {
    return this.#parts.lease.detail === 'full' && !this.#isDetached
  }

  get hasDeltaListeners(): boolean {
    return this.#listeners.hasDeltaListeners
  }

  append(entry: LogEntry): void {
    // the lease is released or lost, so nothing more may be appended
    if (this.#isClosed || this.#lostReason !== undefined) return
    if (this.#isDetached && !isUsage(entry)) {
      if (entry.event !== undefined) this.emitTransient(entry.event)
      return
    }
    this.#written += 1
    this.#enqueue({ entry })
  }

  emitTransient(event: EventDraft): void {
    if (this.#isClosed || this.#lostReason !== undefined || !this.#listeners.hasDeltaListeners) return
    if (this.#working === undefined) this.#listeners.emit(assignSequence(event, { after: this.#lastSeq }))
    else this.#enqueue({ transient: event })
  }

  waitForCommit(): Promise<void> | undefined {
    if (this.#isClosed) return undefined
    if (this.#lostReason !== undefined) return Promise.reject(new TroupeError(this.#lostReason))
    if (this.#written === this.#committed && this.#replays.size === 0) return undefined
    return new Promise((resolve, reject) => {
      this.#waiters.push({ until: this.#written, resolve, reject })
    })
  }

  steps(runId: string): Promise<ReadonlyMap<string, Json>> {
    return this.#parts.readSteps(runId, this.#isCancelled)
  }

  subscribe(
    listener: RunListener,
    { deltas = true, after }: { readonly deltas?: boolean; readonly after?: number } = {},
  ): () => void {
    const last = this.#lastSeq
    const from = after === undefined ? last : Math.min(Math.max(after, 0), last)
    const remove = this.#listeners.add(listener, { deltas, next: last + 1 })
    let isRemoved = false
    if (from < last) {
      const replay = this.#replay({ from, last }, (event) => {
        if (!isRemoved) notifyListener(listener, event)
      }).finally(() => this.#replays.delete(replay))
      this.#replays.add(replay)
      this.#work()
    }
    return () => {
      isRemoved = true
      remove()
    }
  }

  detach(): void {
    this.#isDetached = true
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const { clock, release } = this.#parts
    this.#closeBefore = clock.monotonic() + CLOSE_MS
    const wasLost = this.#lostReason !== undefined
    while (this.#working !== undefined) await this.#working
    this.#listeners.clear()
    await release(this.#isCancelled)
    const reason = this.#lostReason
    if (!wasLost && reason !== undefined && reason.code !== 'store_lease_lost') throw new TroupeError(reason)
  }

  /** Returns true if work that fails is not to be repeated. */
  readonly #isCancelled = (): boolean =>
    this.#lostReason !== undefined || this.#parts.clock.monotonic() >= this.#closeBefore

  #enqueue(waiting: QueuedItem): void {
    this.#queue.push(waiting)
    this.#work()
  }

  /** Starts to work on the queue, with all entries of this turn of the event loop. */
  #work(): void {
    this.#working ??= new Promise((resolve) => {
      setImmediate(() => void this.#workOff().then(resolve))
    })
  }

  async #workOff(): Promise<void> {
    try {
      do {
        const batch = this.#takeBatch()
        const publishing = this.#publish(batch)
        if (publishing !== undefined) await publishing
        const lastSeq = await this.#commit(batch)
        while (this.#replays.size > 0) await Promise.all(this.#replays)
        this.#settle(batch, lastSeq)
      } while (this.#queue.length > 0 || this.#replays.size > 0)
    } catch (thrown) {
      this.#end(toFailure(thrown))
    }
    this.#working = undefined
    this.#resolveWaiters()
  }

  /** Removes the first entries from the queue, within the limits of a batch. */
  #takeBatch(): QueuedItem[] {
    const isPublished = this.#parts.beforeCommit !== undefined
    let entries = 0
    let bytes = 0
    let size = 0
    for (const waiting of this.#queue) {
      // Published events are sent before the commit of the entries after them.
      if (isPublished && entries > 0 && waiting.transient !== undefined) break
      if (waiting.entry !== undefined) {
        if (entries === BATCH_ENTRIES) break
        try {
          waiting.packed ??= packEntry(waiting.entry, this.#parts.lease.detail)
        } catch (thrown) {
          // commit the entries before it first
          if (size > 0) break
          throw thrown
        }
        if (entries > 0 && bytes + waiting.packed.bytes > BATCH_BYTES) break
        entries += 1
        bytes += waiting.packed.bytes
      }
      size += 1
    }
    return this.#queue.splice(0, size)
  }

  /** Emits the transient events at the start of a batch, and removes them. Waits until they are sent. */
  #publish(batch: QueuedItem[]): Promise<void> | undefined {
    const { beforeCommit } = this.#parts
    // a new subscription gets stored events first, so that its transient events follow after the commit
    if (beforeCommit === undefined || this.#replays.size > 0) return undefined
    const first = batch.findIndex(({ transient }) => transient === undefined)
    for (const { transient } of batch.splice(0, first < 0 ? batch.length : first))
      if (transient !== undefined) this.#listeners.emit(assignSequence(transient, { after: this.#lastSeq }))
    return beforeCommit()
  }

  /** Returns the last `seq` after the batch. */
  async #commit(batch: readonly QueuedItem[]): Promise<number> {
    const packed = batch.flatMap((waiting) => waiting.packed ?? [])
    // without the steps of a log that stores only metadata, there may be nothing to store
    if (packed.every(({ bytes }) => bytes === 0)) return this.#lastSeq
    const position = { lease: this.#parts.lease, committedBatches: this.#committedBatches }
    const lastSeq = await this.#parts.commitBatch(packed, position, this.#isCancelled)
    this.#committedBatches += 1
    return lastSeq
  }

  /** Emits the events of a committed batch, whose last one has the given `seq`. */
  #settle(batch: readonly QueuedItem[], lastSeq: number): void {
    let seq = this.#lastSeq
    const count = batch.reduce((sum, { entry }) => sum + (entry?.event === undefined ? 0 : 1), 0)
    if (count > 0) {
      // other processes may have appended events to the run tree in between
      seq = lastSeq - count
      this.#lastSeq = lastSeq
    }
    for (const { entry, transient } of batch) {
      if (transient !== undefined) this.#listeners.emit(assignSequence(transient, { after: seq }))
      if (entry === undefined) continue
      this.#committed += 1
      if (entry.event === undefined) continue
      seq += 1
      this.#listeners.emit(assignSequence(entry.event, { seq }))
    }
    if (this.#queue.length > 0) this.#resolveWaiters()
  }

  /** Resolves the callers whose entries are committed. */
  #resolveWaiters(): void {
    const ready = this.#waiters.filter(({ until }) => until <= this.#committed)
    this.#waiters = this.#waiters.filter(({ until }) => until > this.#committed)
    for (const { resolve } of ready) resolve()
  }

  async #replay(
    { from, last }: { readonly from: number; readonly last: number },
    emit: (event: RunEvent) => void,
  ): Promise<void> {
    for (let after = from; after < last;) {
      const limit = Math.min(PAGE, last - after)
      const events = await this.#parts.readEvents({ after, limit }, this.#isCancelled)
      for (const event of events) emit(event)
      after += limit
    }
  }

  /** Ends the log. Its pending entries are never committed. */
  #end(reason: Failure): void {
    this.#lostReason ??= reason
    this.#queue = []
    for (const { reject } of this.#waiters) reject(new TroupeError(this.#lostReason))
    this.#waiters = []
  }
}
