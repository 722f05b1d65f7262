import {
  placeEvent,
  TroupeError,
  type EventDraft,
  type LogEntry,
  type RootLog,
  type RunListener,
} from '@troupe/schema'
import { tellOne } from '../listeners.ts'
import { isUsage } from '../memory-log.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { OpenRoot } from './open-root.ts'
import type { Rows } from './rows.ts'
import { createStepReader, type StepReader } from './step-reader.ts'

interface LogParts {
  readonly queue: CommitQueue
  readonly rows: Rows
  release(): Promise<void>
}

/** Creates the log of one open run tree. `close` releases the lease through `release`. */
export function createSqliteLog(root: OpenRoot, parts: LogParts): RootLog {
  return new SqliteLog(root, parts)
}

/**
 * A class because there is one per run tree: an object literal with getters would be retained until the next
 * full garbage collection.
 */
class SqliteLog implements RootLog {
  readonly active = true
  readonly #root: OpenRoot
  readonly #parts: LogParts
  #readSteps: StepReader | undefined
  #isLeft = false
  #isClosed = false

  constructor(root: OpenRoot, parts: LogParts) {
    this.#root = root
    this.#parts = parts
  }

  get keeps(): boolean {
    return this.#root.lease.detail === 'full' && !this.#isLeft
  }

  get watched(): boolean {
    return this.#root.listeners.watched
  }

  write(entry: LogEntry): void {
    const root = this.#root
    // the lease is released or lost, so nothing more may be appended
    if (this.#isClosed || root.lost !== undefined) return
    if (!this.#isLeft || isUsage(entry)) this.#parts.queue.add({ root, entry })
    else if (entry.event !== undefined) this.tell(entry.event)
  }

  tell(event: EventDraft): void {
    const root = this.#root
    const { queue } = this.#parts
    if (this.#isClosed || root.lost !== undefined || !root.listeners.watched) return
    if (queue.telling || root.waiting > 0) queue.add({ root, transient: event })
    else root.listeners.tell(placeEvent(event, { after: root.lastSeq }))
  }

  durable(): Promise<void> | undefined {
    const root = this.#root
    if (this.#isClosed) return undefined
    if (root.lost !== undefined) return Promise.reject(new TroupeError(root.lost))
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
    const leave = listeners.add(listener, { deltas, next: last + 1 })
    const options = { after: from, limit: last - from, end: last }
    const kept = from < last ? this.#parts.rows.events(lease.id, options) : []
    for (const event of kept) tellOne(listener, event)
    return leave
  }

  leave(): void {
    this.#isLeft = true
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
