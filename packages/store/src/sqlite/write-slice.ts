import type { DatabaseSync } from 'node:sqlite'
import { entryName, type Failpoint } from './failpoint.ts'
import type { OpenRoot, Waiting } from './open-root.ts'
import { factsOf, type RootFacts } from '../root-facts.ts'
import { packEntry } from './packed-entry.ts'
import type { Payload } from './payload.ts'
import type { Roots } from './roots.ts'
import type { Piece, Rows } from './rows.ts'

/** What a slice is written with. */
export interface SliceTarget {
  readonly database: DatabaseSync
  readonly rows: Rows
  readonly roots: Roots
  readonly failpoint?: Failpoint | undefined
}

/** What became of a slice: it is committed, or nothing of it is because the lease of one root is another's. */
export type WrittenSlice =
  | { readonly lastSeqs: ReadonlyMap<OpenRoot, number> }
  | { readonly fenced: OpenRoot }

/** Writes a slice in one transaction: all of it or nothing. What SQLite throws is thrown on. */
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

/** Every entry of a slice passes the failpoint. */
export function passAll(
  slice: readonly Waiting[],
  moment: 'written' | 'committed',
  failpoint: Failpoint,
): void {
  for (const { entry } of slice) if (entry !== undefined) failpoint(moment, entryName(entry))
}

interface RootPiece extends Piece {
  lastSeq: number
  /** What its events add to the facts of the root. */
  facts?: RootFacts
  readonly events: Payload[]
  readonly steps: Payload[]
}

/** What each root gets of a slice. */
function sortByRoot(slice: readonly Waiting[]): ReadonlyMap<OpenRoot, RootPiece> {
  const pieces = new Map<OpenRoot, RootPiece>()
  for (const waiting of slice) {
    const { root, entry } = waiting
    if (entry === undefined) continue
    let piece = pieces.get(root)
    if (piece === undefined) pieces.set(root, (piece = { lastSeq: root.placedSeq, events: [], steps: [] }))
    // kept for when the store is busy; not made earlier, as texts beside what they are made of would only be carried along
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
