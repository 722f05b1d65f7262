import { TroupeError, type EventDraft, type RootLog } from '@troupe/schema'
import { tellOne } from '../listeners.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { OpenRoot } from './open-root.ts'
import type { Rows } from './rows.ts'
import { createStepReader, type StepReader } from './step-reader.ts'

/** The log of one open root. `close` gives up the lease through `release`. */
export function createSqliteLog(
  root: OpenRoot,
  parts: { readonly queue: CommitQueue; readonly rows: Rows; release(): Promise<void> },
): RootLog {
  const { queue, rows } = parts
  const { listeners, lease } = root
  let readSteps: StepReader | undefined
  let left = false
  let closed = false

  function tell(event: EventDraft): void {
    if (closed || root.lost !== undefined || !listeners.watched) return
    if (queue.telling || root.waiting > 0) queue.add({ root, transient: event })
    else listeners.tell({ ...event, after: root.lastSeq })
  }

  return {
    active: true,
    get keeps() {
      return lease.detail === 'full' && !left
    },
    get watched() {
      return listeners.watched
    },
    write(entry) {
      // the lease is given back or lost: what comes now has no place in the log any more
      if (closed || root.lost !== undefined) return
      if (!left) queue.add({ root, entry })
      else if (entry.event !== undefined) tell(entry.event)
    },
    tell,
    durable() {
      if (closed) return undefined
      if (root.lost !== undefined) return Promise.reject(new TroupeError(root.lost))
      if (root.written === root.committed) return undefined
      return new Promise((resolve, reject) => {
        root.waiters = [...root.waiters, { until: root.written, resolve, reject }]
      })
    },
    steps: (runId) => (readSteps ??= createStepReader(lease.id, rows))(runId),
    subscribe(listener, { deltas = true, after } = {}) {
      const last = root.lastSeq
      const from = after === undefined ? last : Math.min(Math.max(after, 0), last)
      const leave = listeners.add(listener, { deltas, next: last + 1 })
      const kept = from < last ? rows.events(lease.id, { after: from, limit: last - from, end: last }) : []
      for (const event of kept) tellOne(listener, event)
      return leave
    },
    leave() {
      left = true
    },
    async close() {
      if (closed) return
      closed = true
      try {
        await queue.drain(root)
      } finally {
        listeners.clear()
        await parts.release()
      }
    },
  }
}
