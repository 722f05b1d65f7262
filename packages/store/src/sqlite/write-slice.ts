import type { DatabaseSync } from 'node:sqlite'
import { factsOfEntry, type LogEntry, type RootRunFacts } from '@troupe/schema/ports'
import { packEntry, type OpenRunTree, type QueuedEntry } from './open-run-tree.ts'
import type { Payload } from './payload.ts'
import type { RootRunTable } from './root-run-table.ts'
import type { CommitPiece, PieceTable } from './piece-reader.ts'

/**
 * For tests only. Called for everything that becomes durable: `written` within a transaction that is not
 * committed yet, `committed` when it is on disk but no event is emitted. A test ends the process there.
 */
export type Failpoint = (moment: 'written' | 'committed', what: string) => void

/** Returns the name of an entry at a failpoint: its run id, and its step key or event type. */
function entryName({ runId, step, event }: LogEntry): string {
  return `${runId} ${step?.key ?? event?.type ?? ''}`
}

/** Dependencies of {@link writeSlice}. */
interface SliceTarget {
  readonly database: DatabaseSync
  readonly rows: PieceTable
  readonly roots: RootRunTable
  readonly failpoint?: Failpoint | undefined
}

/**
 * Result of writing a slice: the last `seq` per run tree, or the run tree with a lost lease, in which case
 * nothing is committed.
 */
export type WrittenSlice =
  | { readonly lastSeqs: ReadonlyMap<OpenRunTree, number> }
  | { readonly fenced: OpenRunTree }

/** Writes a slice in one transaction, all of it or nothing. Throws the errors of SQLite. */
export function writeSlice(
  slice: readonly QueuedEntry[],
  { database, rows, roots, failpoint }: SliceTarget,
  now: number,
): WrittenSlice {
  const pieces = groupByRunTree(slice)
  const lastSeqs = new Map(Array.from(pieces, ([root, { lastSeq }]) => [root, lastSeq]))
  return runInTransaction<WrittenSlice>(database, () => {
    for (const [root, piece] of pieces) {
      if (!isEmpty(piece)) rows.add(root.lease.id, piece)
      if (!roots.advance(root.lease, { lastSeq: piece.lastSeq, now }))
        return { shouldCommit: false, value: { fenced: root } }
      if (piece.facts !== undefined) roots.addFacts(root.lease, piece.facts)
    }
    if (failpoint !== undefined) passFailpoint(slice, 'written', failpoint)
    return { shouldCommit: true, value: { lastSeqs } }
  })
}

/** Calls the failpoint for every entry of a slice. */
export function passFailpoint(
  slice: readonly QueuedEntry[],
  moment: 'written' | 'committed',
  failpoint: Failpoint,
): void {
  for (const { entry } of slice) if (entry !== undefined) failpoint(moment, entryName(entry))
}

interface RunTreePiece extends CommitPiece {
  lastSeq: number
  /** Listing properties that its events add. */
  facts?: RootRunFacts
  readonly events: Payload[]
  readonly steps: Payload[]
}

/** Groups the entries of a slice by run tree. */
function groupByRunTree(slice: readonly QueuedEntry[]): ReadonlyMap<OpenRunTree, RunTreePiece> {
  const pieces = new Map<OpenRunTree, RunTreePiece>()
  for (const waiting of slice) {
    const { root, entry } = waiting
    if (entry === undefined) continue
    let piece = pieces.get(root)
    if (piece === undefined) pieces.set(root, (piece = { lastSeq: root.committedSeq, events: [], steps: [] }))
    // Kept for a retry if the store is busy. Not packed earlier, to save memory while the entry is queued.
    const packed = (waiting.packed ??= packEntry(entry, root.lease))
    if (packed.step !== undefined) piece.steps.push(packed.step)
    const facts = factsOfEntry(entry, root.lease.detail)
    if (facts !== undefined) piece.facts = { ...piece.facts, ...facts }
    if (packed.event === undefined) continue
    piece.lastSeq += 1
    piece.events.push(packed.event)
  }
  return pieces
}

function isEmpty({ events, steps }: CommitPiece): boolean {
  return events.length === 0 && steps.length === 0
}

/**
 * Runs a function in a transaction. Takes the write lock at the start, so that the transaction is never
 * refused halfway.
 */
export function runInTransaction<T>(
  database: DatabaseSync,
  work: () => { readonly shouldCommit: boolean; readonly value: T },
): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const { shouldCommit, value } = work()
    database.exec(shouldCommit ? 'COMMIT' : 'ROLLBACK')
    return value
  } catch (thrown) {
    // a full disk ends the transaction by itself
    if (database.isTransaction) database.exec('ROLLBACK')
    throw thrown
  }
}
