import type { DatabaseSync } from 'node:sqlite'
import type { EventDraft, Json, RunEvent } from '@troupe/schema'
import type { Blobs } from './blobs.ts'
import { damageError, type DamageLocation } from './damage-error.ts'
import { unpackPayload } from './payload.ts'
import { pieceChecksum } from './piece-checksum.ts'

/** A stored step. A later step with the same run and key replaces it. */
export type StoredStep = readonly [runId: string, key: string, value: Json]

/** The steps of a piece. Ids increase within a log. */
export interface PieceSteps {
  readonly id: number
  readonly steps: readonly StoredStep[]
}

/** A range of events. */
export interface EventRange {
  /** `seq` after which the range starts. */
  readonly after: number
  /** Maximum number of events. Default: all. */
  readonly limit?: number
  /** The last `seq` that the log must have. If it ends earlier, it is damaged. */
  readonly end?: number
}

/**
 * Reads committed pieces and verifies their checksums. Throws `store_corrupt` only when it reaches damaged
 * data.
 */
export interface PieceReader {
  /** Returns the events of the range, in order. */
  events(root: number, range: EventRange): readonly RunEvent[]
  /** Returns the pieces with steps after the piece with this id, in order. */
  steps(root: number, after: number): readonly PieceSteps[]
}

interface PieceRow {
  readonly id: number
  readonly last_seq: number
  readonly data: string
  readonly has_blobs: number
  /** Null if the piece was written by a version without checksums. */
  readonly sum: number | null
}

/** Prepares the statements once. */
export function createPieceReader(
  database: DatabaseSync,
  { path, blobs }: { readonly path: string; readonly blobs: Pick<Blobs, 'text'> },
): PieceReader {
  const selectEvents = database.prepare(
    'SELECT id, last_seq, events AS data, events_have_blobs AS has_blobs, events_sum AS sum FROM pieces WHERE root = ? AND last_seq > ? ORDER BY id',
  )
  const selectSteps = database.prepare(
    'SELECT id, last_seq, steps AS data, steps_have_blobs AS has_blobs, steps_sum AS sum FROM pieces WHERE root = ? AND id > ? AND steps IS NOT NULL ORDER BY id',
  )
  const selectName = database.prepare('SELECT root_run_id AS name FROM roots WHERE id = ?')

  function toDamageError(root: number, location: Omit<DamageLocation, 'rootRunId'>): Error {
    return damageError(path, { rootRunId: String(selectName.get(root)?.['name']), ...location })
  }

  /** Returns the values of a row; `undefined` if they are damaged. */
  function valuesOf(root: number, { data, sum, last_seq: lastSeq, has_blobs }: PieceRow): unknown {
    if (sum !== null && sum !== pieceChecksum(data, { root, lastSeq })) return undefined
    try {
      return unpackPayload({ data, hasBlobs: has_blobs === 1 }, blobs.text)
    } catch (thrown) {
      if (thrown instanceof SyntaxError) return undefined
      throw thrown
    }
  }

  return {
    events(root, { after, limit = -1, end = 0 }) {
      const found: RunEvent[] = []
      let last = Math.max(after, 0)
      for (const row of selectEvents.iterate(root, after) as unknown as Iterable<PieceRow>) {
        const events = valuesOf(root, row) as readonly EventDraft[] | undefined
        if (events === undefined)
          throw toDamageError(root, { commit: row.id, events: [last + 1, row.last_seq] })
        const before = row.last_seq - events.length
        if (before > last) throw toDamageError(root, { events: [last + 1, before] })
        for (const [index, event] of events.entries())
          if (before + index >= after) found.push({ ...event, seq: before + index + 1 })
        last = row.last_seq
        if (limit >= 0 && found.length >= limit) return found.slice(0, limit)
      }
      if (last < end) throw toDamageError(root, { events: [last + 1, end] })
      return found
    },
    steps(root, after) {
      const rows = selectSteps.all(root, after) as unknown as readonly PieceRow[]
      return rows.map((row) => {
        const steps = valuesOf(root, row) as readonly StoredStep[] | undefined
        if (steps === undefined) throw toDamageError(root, { commit: row.id })
        return { id: row.id, steps }
      })
    },
  }
}
