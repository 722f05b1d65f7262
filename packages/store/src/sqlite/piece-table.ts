import type { DatabaseSync } from 'node:sqlite'
import { createBlobs } from './blobs.ts'
import type { Payload } from './payload.ts'
import { createPieceReader, pieceChecksum, type PieceReader } from './piece-reader.ts'

/** The part of one commit that belongs to one run tree. */
export interface CommitPiece {
  /** `seq` of the last event at the end of the piece. Those of the others follow from it. */
  readonly lastSeq: number
  readonly events: readonly Payload[]
  readonly steps: readonly Payload[]
}

/** Reads and writes logs. `root` is the row id of the root run. Does not open transactions. */
export interface PieceTable extends PieceReader {
  add(root: number, piece: CommitPiece): void
  /** Returns the size of each run tree in bytes, by run id. */
  sizes(): ReadonlyMap<string, number>
}

/**
 * Creates the table of pieces and prepares the statements once. A piece is one row, however much was
 * committed, because rows cost more than their content.
 */
export function createPieceTable(database: DatabaseSync, path: string): PieceTable {
  const insert = database.prepare(
    `INSERT INTO pieces (root, last_seq, events, events_have_blobs, events_sum, steps, steps_have_blobs, steps_sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  // `octet_length` does not read overflow pages
  const selectSizes = database.prepare(
    `SELECT root_run_id AS id,
       (SELECT coalesce(sum(octet_length(events) + coalesce(octet_length(steps), 0)), 0) FROM pieces WHERE root = roots.id)
       + (SELECT coalesce(sum(octet_length(text)), 0) FROM blob_uses JOIN blobs USING (hash) WHERE root = roots.id) AS bytes
     FROM roots`,
  )
  const blobs = createBlobs(database)

  /** Packs values into a JSON list. Returns its text, a flag for extracted texts, and its checksum. */
  function packList(
    values: readonly Payload[],
    location: { readonly root: number; readonly lastSeq: number },
  ): readonly [data: string, hasBlobs: 0 | 1, sum: number] {
    let hasBlobs: 0 | 1 = 0
    for (const value of values) {
      if (value.blobs.size === 0) continue
      hasBlobs = 1
      blobs.add(location.root, value.blobs)
    }
    const data = `[${values.map((value) => value.data).join(',')}]`
    return [data, hasBlobs, pieceChecksum(data, location)]
  }

  return {
    ...createPieceReader(database, { path, blobs }),
    add(root, { lastSeq, events, steps }) {
      const location = { root, lastSeq }
      const joined = steps.length === 0 ? NO_STEPS : packList(steps, location)
      insert.run(root, lastSeq, ...packList(events, location), ...joined)
    },
    sizes: () => new Map(selectSizes.all().map(({ id, bytes }) => [String(id), Number(bytes)])),
  }
}

const NO_STEPS = [null, 0, null] as const
