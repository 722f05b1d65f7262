import type { DatabaseSync } from 'node:sqlite'
import { entryName, type Failpoint } from './failpoint.ts'
import type { OpenRoot, Waiting } from './open-root.ts'
import { factsOf, type RootFacts } from '../root-facts.ts'
import { packEntry } from './packed-entry.ts'
import type { Payload } from './payload.ts'
import type { Roots } from './roots.ts'
import type { Piece, Rows } from './rows.ts'

/** Dependencies of {@link writeSlice}. */
export interface SliceTarget {
  readonly database: DatabaseSync
  readonly rows: Rows
  readonly roots: Roots
  readonly failpoint?: Failpoint | undefined
}

/**
 * Result of writing a slice: the last `seq` per run tree, or the run tree with a lost lease, in which case
 * nothing is committed.
 */
export type WrittenSlice =
  | { readonly lastSeqs: ReadonlyMap<OpenRoot, number> }
  | { readonly fenced: OpenRoot }

/** Writes a slice in one transaction, all of it or nothing. Throws the errors of SQLite. */
export function writeSlice(
  slice: readonly Waiting[],
  { database, rows, roots, failpoint }: SliceTarget,
  now: number,
): WrittenSlice {
  const pieces = sortByRoot(slice)
  const lastSeqs = new Map(Array.from(pieces, ([root, { lastSeq }]) => [root, lastSeq]))
  return inTransaction<WrittenSlice>(database, () => {
    for (const [root, piece] of pieces) {
      if (!isEmpty(piece)) rows.add(root.lease.id, piece)
      if (!roots.advance(root.lease, { lastSeq: piece.lastSeq, now }))
        return { isKept: false, value: { fenced: root } }
      if (piece.facts !== undefined) roots.note(root.lease, piece.facts)
    }
    if (failpoint !== undefined) passAll(slice, 'written', failpoint)
    return { isKept: true, value: { lastSeqs } }
  })
}

/** Calls the failpoint for every entry of a slice. */
export function passAll(
  slice: readonly Waiting[],
  moment: 'written' | 'committed',
  failpoint: Failpoint,
): void {
  for (const { entry } of slice) if (entry !== undefined) failpoint(moment, entryName(entry))
}

interface RootPiece extends Piece {
  lastSeq: number
  /** Listing properties that its events add. */
  facts?: RootFacts
  readonly events: Payload[]
  readonly steps: Payload[]
}

/** Groups the entries of a slice by run tree. */
function sortByRoot(slice: readonly Waiting[]): ReadonlyMap<OpenRoot, RootPiece> {
  const pieces = new Map<OpenRoot, RootPiece>()
  for (const waiting of slice) {
    const { root, entry } = waiting
    if (entry === undefined) continue
    let piece = pieces.get(root)
    if (piece === undefined) pieces.set(root, (piece = { lastSeq: root.placedSeq, events: [], steps: [] }))
    // Kept for a retry if the store is busy. Not packed earlier, to save memory while the entry is queued.
    const packed = (waiting.packed ??= packEntry(entry, root.lease))
    if (packed.step !== undefined) piece.steps.push(packed.step)
    if (packed.event === undefined || entry.event === undefined) continue
    piece.lastSeq += 1
    piece.events.push(packed.event)
    const facts = factsOf(entry.event, root.lease.detail)
    if (facts !== undefined) piece.facts = { ...piece.facts, ...facts }
  }
  return pieces
}

function isEmpty({ events, steps }: Piece): boolean {
  return events.length === 0 && steps.length === 0
}

/**
 * Runs a function in a transaction. Takes the write lock at the start, so that the transaction is never
 * refused halfway.
 */
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
