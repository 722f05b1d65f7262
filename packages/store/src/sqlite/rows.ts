import type { DatabaseSync } from 'node:sqlite'
import { createBlobs } from './blobs.ts'
import type { Payload } from './payload.ts'
import { createPieceReader, type PieceReader } from './piece-reader.ts'
import { pieceSum } from './piece-sum.ts'

/** What one commit brings to the log of a root. */
export interface Piece {
  /** `seq` of the last event by then; those of the others follow from it. */
  readonly lastSeq: number
  readonly events: readonly Payload[]
  readonly steps: readonly Payload[]
}

/** What is read and written of the logs. `root` is the key of the root's row. Nothing here opens a transaction. */
export interface Rows extends PieceReader {
  add(root: number, piece: Piece): void
  /** What each root takes, in bytes, by its id. */
  sizes(): ReadonlyMap<string, number>
}

/** The statements are prepared once. A piece is one row however much was committed: rows cost more than what stands in them. */
export function createRows(database: DatabaseSync, path: string): Rows {
  const insert = database.prepare(
    `INSERT INTO pieces (root, last_seq, events, events_have_blobs, events_sum, steps, steps_have_blobs, steps_sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  // what is not in the page of its row is not read for this
  const selectSizes = database.prepare(
    `SELECT root_run_id AS id,
       (SELECT coalesce(sum(octet_length(events) + coalesce(octet_length(steps), 0)), 0) FROM pieces WHERE root = roots.id)
       + (SELECT coalesce(sum(octet_length(text)), 0) FROM blob_uses JOIN blobs USING (hash) WHERE root = roots.id) AS bytes
     FROM roots`,
  )
  const blobs = createBlobs(database)

  /** A JSON list of the values, whether texts of it are kept beside it, and its sum. */
  function join(
    values: readonly Payload[],
    place: { readonly root: number; readonly lastSeq: number },
  ): readonly [data: string, hasBlobs: 0 | 1, sum: number] {
    let hasBlobs: 0 | 1 = 0
    for (const value of values) {
      if (value.blobs.size === 0) continue
      hasBlobs = 1
      blobs.add(place.root, value.blobs)
    }
    const data = `[${values.map((value) => value.data).join(',')}]`
    return [data, hasBlobs, pieceSum(data, place)]
  }

  return {
    ...createPieceReader(database, { path, blobs }),
    add(root, { lastSeq, events, steps }) {
      const place = { root, lastSeq }
      const joined = steps.length === 0 ? NO_STEPS : join(steps, place)
      insert.run(root, lastSeq, ...join(events, place), ...joined)
    },
    sizes: () => new Map(selectSizes.all().map(({ id, bytes }) => [String(id), Number(bytes)])),
  }
}

const NO_STEPS = [null, 0, null] as const
