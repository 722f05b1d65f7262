import type { DatabaseSync } from 'node:sqlite'
import type { EventDraft, Json, RunEvent } from '@troupe/schema'
import { unpackPayload, type Payload } from './payload.ts'

/** A step as it is kept: a later one of the same run and key takes its place. */
export type KeptStep = readonly [runId: string, key: string, value: Json]

/** What one commit brings to the log of a root. */
export interface Piece {
  /** `seq` of the last event by then; those of the others follow from it. */
  readonly lastSeq: number
  readonly events: readonly Payload[]
  readonly steps: readonly Payload[]
}

/** The steps of a piece. Ids grow with the log. */
export interface PieceSteps {
  readonly id: number
  readonly steps: readonly KeptStep[]
}

/** What is read and written of the logs. `root` is the key of the root's row. Nothing here opens a transaction. */
export interface Rows {
  add(root: number, piece: Piece): void
  /** Those after a `seq`, in order. */
  events(root: number, range: { readonly after: number; readonly limit?: number }): readonly RunEvent[]
  /** What each root takes, in bytes, by its id. */
  sizes(): ReadonlyMap<string, number>
  /** The pieces with steps that came after the one with this id, in order. */
  steps(root: number, after: number): readonly PieceSteps[]
}

interface EventsRow extends DataRow {
  readonly last_seq: number
}

interface DataRow {
  readonly data: string
  readonly has_blobs: number
}

/** The statements are prepared once. A piece is one row however much was committed: rows cost more than what stands in them. */
export function createRows(database: DatabaseSync): Rows {
  const insert = database.prepare(
    'INSERT INTO pieces (root, last_seq, events, events_have_blobs, steps, steps_have_blobs) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const insertBlob = database.prepare('INSERT OR IGNORE INTO blobs VALUES (?, ?)')
  const insertUse = database.prepare('INSERT OR IGNORE INTO blob_uses VALUES (?, ?)')
  const selectEvents = database.prepare(
    'SELECT last_seq, events AS data, events_have_blobs AS has_blobs FROM pieces WHERE root = ? AND last_seq > ? ORDER BY id',
  )
  const selectSteps = database.prepare(
    'SELECT id, steps AS data, steps_have_blobs AS has_blobs FROM pieces WHERE root = ? AND id > ? AND steps IS NOT NULL ORDER BY id',
  )
  // what is not in the page of its row is not read for this
  const selectSizes = database.prepare(
    `SELECT root_run_id AS id,
       (SELECT coalesce(sum(octet_length(events) + coalesce(octet_length(steps), 0)), 0) FROM pieces WHERE root = roots.id)
       + (SELECT coalesce(sum(octet_length(text)), 0) FROM blob_uses JOIN blobs USING (hash) WHERE root = roots.id) AS bytes
     FROM roots`,
  )
  const selectBlob = database.prepare('SELECT text FROM blobs WHERE hash = ?')

  const blob = (hash: string): string => String(selectBlob.get(hash)?.['text'])
  const toValues = ({ data, has_blobs: hasBlobs }: DataRow): unknown =>
    unpackPayload({ data, hasBlobs: hasBlobs === 1 }, blob)

  /** A JSON list of the values, and whether texts of it are kept beside it. */
  function join(root: number, values: readonly Payload[]): readonly [data: string, hasBlobs: 0 | 1] {
    let hasBlobs: 0 | 1 = 0
    for (const { blobs } of values)
      for (const [hash, text] of blobs) {
        hasBlobs = 1
        insertBlob.run(hash, text)
        insertUse.run(root, hash)
      }
    return [`[${values.map(({ data }) => data).join(',')}]`, hasBlobs]
  }

  return {
    add(root, { lastSeq, events, steps }) {
      const joined = steps.length === 0 ? ([null, 0] as const) : join(root, steps)
      insert.run(root, lastSeq, ...join(root, events), ...joined)
    },
    events(root, { after, limit = -1 }) {
      const found: RunEvent[] = []
      for (const row of selectEvents.iterate(root, after) as unknown as Iterable<EventsRow>) {
        const events = toValues(row) as readonly EventDraft[]
        const before = row.last_seq - events.length
        for (const [index, event] of events.entries())
          if (before + index >= after) found.push({ ...event, seq: before + index + 1 })
        if (limit >= 0 && found.length >= limit) return found.slice(0, limit)
      }
      return found
    },
    sizes: () => new Map(selectSizes.all().map(({ id, bytes }) => [String(id), Number(bytes)])),
    steps(root, after) {
      const rows = selectSteps.all(root, after) as unknown as readonly (DataRow & { readonly id: number })[]
      return rows.map((row) => ({ id: row.id, steps: toValues(row) as readonly KeptStep[] }))
    },
  }
}
