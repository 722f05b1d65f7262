import { TroupeError, type EventDraft, type RunListener } from '@troupe/schema'
import { assignSequence, isUsage, notifyListener, type LogEntry, type RunTreeLog } from '@troupe/schema/ports'
import type { CommitQueue } from './commit-queue.ts'
import type { OpenRunTree } from './open-run-tree.ts'
import { type PieceTable, createStepReader, type StepReader } from './piece-reader.ts'

interface LogParts {
  readonly queue: CommitQueue
  readonly rows: PieceTable
  release(): Promise<void>
}

/** Creates the log of one open run tree. `close` releases the lease through `release`. */
export function createSqliteLog(root: OpenRunTree, parts: LogParts): RunTreeLog {
  return new SqliteLog(root, parts)
}

/**
 * A class because there is one per run tree: an object literal with getters would be retained until the next
 * full garbage collection.
 */
class SqliteLog implements RunTreeLog {
  readonly isActive = true
  readonly #root: OpenRunTree
  readonly #parts: LogParts
  #readSteps: StepReader | undefined
  #isDetached = false
  #isClosed = false

  constructor(root: OpenRunTree, parts: LogParts) {
    this.#root = root
    this.#parts = parts
  }

  get isPersistent(): boolean {
    return this.#root.lease.detail === 'full' && !this.#isDetached
  }

  get hasDeltaListeners(): boolean {
    return this.#root.listeners.hasDeltaListeners
  }

  append(entry: LogEntry): void {
    const root = this.#root
    // the lease is released or lost, so nothing more may be appended
    if (this.#isClosed || root.lostReason !== undefined) return
    if (!this.#isDetached || isUsage(entry)) this.#parts.queue.add({ root, entry })
    else if (entry.event !== undefined) this.emitTransient(entry.event)
  }

  emitTransient(event: EventDraft): void {
    const root = this.#root
    const { queue } = this.#parts
    if (this.#isClosed || root.lostReason !== undefined || !root.listeners.hasDeltaListeners) return
    if (queue.isEmitting || root.waiting > 0) queue.add({ root, transient: event })
    else root.listeners.emit(assignSequence(event, { after: root.lastSeq }))
  }

  waitForCommit(): Promise<void> | undefined {
    const root = this.#root
    if (this.#isClosed) return undefined
    if (root.lostReason !== undefined) return Promise.reject(new TroupeError(root.lostReason))
    if (root.written === root.committed) return undefined
    return new Promise((resolve, reject) => {
      root.waiters = [...root.waiters, { until: root.written, resolve, reject }]
    })
  }

  steps(runId: string): ReturnType<StepReader> {
    this.#readSteps ??= createStepReader(this.#root.lease.id, this.#parts.rows)
    return this.#readSteps(runId)
  }

  subscribe(
    listener: RunListener,
    { deltas = true, after }: { readonly deltas?: boolean; readonly after?: number } = {},
  ): () => void {
    const { lease, lastSeq: last, listeners } = this.#root
    const from = after === undefined ? last : Math.min(Math.max(after, 0), last)
    const unsubscribe = listeners.add(listener, { deltas, next: last + 1 })
    const options = { after: from, limit: last - from, end: last }
    const stored = from < last ? this.#parts.rows.events(lease.id, options) : []
    for (const event of stored) notifyListener(listener, event)
    return unsubscribe
  }

  detach(): void {
    this.#isDetached = true
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    try {
      await this.#parts.queue.drain(this.#root)
    } finally {
      this.#root.listeners.clear()
      await this.#parts.release()
    }
  }
}
