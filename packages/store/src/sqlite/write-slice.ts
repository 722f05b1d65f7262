import type { DatabaseSync } from 'node:sqlite'
import type { RunEvent } from '@troupe/schema'
import { metadataEvent } from '../metadata-event.ts'
import { entryName, type Failpoint } from './failpoint.ts'
import type { OpenRoot, Told, Waiting } from './open-root.ts'
import type { Roots } from './roots.ts'
import type { Rows } from './rows.ts'

/** What a slice is written with. */
export interface SliceTarget {
  readonly database: DatabaseSync
  readonly rows: Rows
  readonly roots: Roots
  readonly failpoint?: Failpoint | undefined
}

/** What became of a slice: it is committed, or nothing of it is because the lease of one root is another's. */
export type WrittenSlice =
  | { readonly told: readonly Told[]; readonly lastSeqs: ReadonlyMap<OpenRoot, number> }
  | { readonly fenced: OpenRoot }

/** Writes a slice in one transaction: all of it or nothing. What SQLite throws is thrown on. */
export function writeSlice(
  slice: readonly Waiting[],
  { database, rows, roots, failpoint }: SliceTarget,
  now: number,
): WrittenSlice {
  const told: Told[] = []
  const lastSeqs = new Map<OpenRoot, number>()
  const written = inTransaction<WrittenSlice>(database, () => {
    for (const waiting of slice) {
      const { root } = waiting
      const seq = lastSeqs.get(root) ?? root.lastSeq
      const event = writeOne(waiting, rows, seq)
      if (event !== undefined) told.push({ root, event })
      if (waiting.entry !== undefined) lastSeqs.set(root, event?.seq ?? seq)
    }
    for (const [root, lastSeq] of lastSeqs)
      if (!roots.advance(root.lease, { lastSeq, now })) return { isKept: false, value: { fenced: root } }
    if (failpoint !== undefined) passAll(slice, 'written', failpoint)
    return { isKept: true, value: { told, lastSeqs } }
  })
  if (failpoint !== undefined && !('fenced' in written)) passAll(slice, 'committed', failpoint)
  return written
}

function passAll(slice: readonly Waiting[], moment: 'written' | 'committed', failpoint: Failpoint): void {
  for (const { entry } of slice) if (entry !== undefined) failpoint(moment, entryName(entry))
}

/** Writes an entry; the answer is the event to tell. */
function writeOne({ root, entry, transient }: Waiting, rows: Rows, seq: number): RunEvent | undefined {
  if (transient !== undefined) return { ...transient, after: seq }
  const { id, detail } = root.lease
  if (entry?.step !== undefined && detail === 'full') rows.putStep(id, { runId: entry.runId, ...entry.step })
  if (entry?.event === undefined) return undefined
  const event = { ...entry.event, seq: seq + 1 }
  rows.addEvent(id, detail === 'full' ? event : metadataEvent(event))
  return event
}

/** Takes the write lock of the store at once, so that a transaction is never refused halfway. */
export function inTransaction<T>(
  database: DatabaseSync,
  work: () => { readonly isKept: boolean; readonly value: T },
): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const { isKept, value } = work()
    database.exec(isKept ? 'COMMIT' : 'ROLLBACK')
    return value
  } catch (thrown) {
    // a full disk ends the transaction by itself
    if (database.isTransaction) database.exec('ROLLBACK')
    throw thrown
  }
}
