import type { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { troupeError, type EventDraft, type Json, type RunEvent, type TroupeError } from '@troupe/schema'
import { type Blobs, unpackPayload, createBlobs, type Payload } from './payload.ts'

/** A stored step. A later step with the same run and key replaces it. */
type StoredStep = readonly [runId: string, key: string, value: Json]

/** The steps of a piece. Ids increase within a log. */
interface PieceSteps {
  readonly id: number
  readonly steps: readonly StoredStep[]
}

/** A range of events. */
interface EventRange {
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
interface PieceReader {
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
function createPieceReader(
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

/** Location of damage in the log of a run tree. */
interface DamageLocation {
  readonly rootRunId: string
  /** Id of the damaged row; `undefined` if a row is missing. */
  readonly commit?: number | undefined
  /** The first and the last unreadable event; `undefined` if steps are unreadable. */
  readonly events?: readonly [first: number, last: number] | undefined
}

/** Creates the error for a damaged log. The fix says how to read the undamaged part. */
function damageError(path: string, { rootRunId, commit, events }: DamageLocation): TroupeError {
  const where =
    commit === undefined ? 'a commit is missing' : `commit ${commit} was changed after it was written`
  const fix =
    events === undefined
      ? `Its events can be read, but it cannot be resumed: troupe runs show ${rootRunId}.`
      : `Later events can be read: troupe runs events ${rootRunId} --after ${events[1]}.`
  return troupeError(
    'store_corrupt',
    `${path}: the run ${rootRunId} is damaged: ${where} (${wording(events)}).`,
    { fix: `${fix} Other runs are not affected. To delete this one: troupe runs purge ${rootRunId}.` },
  )
}

function wording(events: DamageLocation['events']): string {
  if (events === undefined) return 'steps'
  const [first, last] = events
  return first >= last ? `event ${last}` : `events ${first} to ${last}`
}

/**
 * Location of a piece. It is part of the checksum, so that an intact text in the wrong place is detected too.
 */
interface PieceLocation {
  readonly root: number
  readonly lastSeq: number
}

/**
 * Computes the checksum of a text of a piece. SQLite detects damage to its own structure, but not a changed
 * bit in a text, which is usually still valid JSON. The checksum detects errors of disks and other programs,
 * not forgery.
 */
function pieceChecksum(text: string, { root, lastSeq }: PieceLocation): number {
  return crc32(text, crc32(`${root} ${lastSeq}`))
}

/** Returns the committed steps of one run by key. */
export type StepReader = (runId: string) => ReadonlyMap<string, Json>

/**
 * Creates a reader of the steps of a run tree. The first call reads all of them, because its runs are usually
 * read one after the other. Later calls read only new ones.
 */
export function createStepReader(root: number, rows: PieceReader): StepReader {
  const byRun = new Map<string, Map<string, Json>>()
  let lastId = 0
  return (runId) => {
    for (const { id, steps } of rows.steps(root, lastId)) {
      lastId = id
      for (const [run, key, value] of steps) keysOf(byRun, run).set(key, value)
    }
    return new Map(byRun.get(runId))
  }
}

function keysOf(byRun: Map<string, Map<string, Json>>, runId: string): Map<string, Json> {
  const known = byRun.get(runId) ?? new Map<string, Json>()
  byRun.set(runId, known)
  return known
}

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
