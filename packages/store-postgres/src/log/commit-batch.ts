import { failure, TroupeError, troupeError } from '@troupe/schema'
import {
  factsOfEntry,
  metadataEvent,
  type LogEntry,
  type RootRunFacts,
  type StoreDetail,
} from '@troupe/schema/ports'
import { toColumn, toSearchColumn, type Database } from '../connection/database.ts'
import type { RunLease } from '../runs/leases.ts'

/** The JSON of the parts of an entry that are stored. */
export interface BatchEntry {
  readonly event?: string
  readonly facts?: RootRunFacts | undefined
  readonly step?: { readonly runId: string; readonly key: string; readonly data: string }
  readonly bytes: number
}

/** Largest entry in bytes. A statement may have 1 GB, and its escaped form takes a multiple of the entry. */
const MAX_ENTRY_BYTES = 64 * 1024 * 1024

/** Packs what is stored of an entry. Throws `store_full` if it is too large. */
export function packEntry(entry: LogEntry, detail: StoreDetail): BatchEntry {
  const { runId, step, event } = entry
  const isFull = detail === 'full'
  const eventText = event === undefined ? undefined : JSON.stringify(isFull ? event : metadataEvent(event))
  const data = step === undefined || !isFull ? undefined : JSON.stringify(step.value)
  const bytes = Buffer.byteLength(eventText ?? '') + Buffer.byteLength(data ?? '')
  if (bytes > MAX_ENTRY_BYTES)
    throw troupeError(
      'store_full',
      `The run ${runId} cannot be saved: its entry ${step?.key ?? event?.type ?? ''} has ${bytes} bytes, but a PostgreSQL store takes at most ${MAX_ENTRY_BYTES}.`,
      { fix: 'Return less from the tool, or pass large data as files.' },
    )
  return {
    bytes,
    facts: factsOfEntry(entry, detail),
    ...(eventText === undefined ? {} : { event: eventText }),
    ...(data === undefined || step === undefined
      ? {}
      : { step: { runId: toColumn(runId), key: toColumn(step.key), data } }),
  }
}

/** The position of a log at which a batch is committed. */
interface LogPosition {
  readonly lease: RunLease
  /** Number of batches that were committed under the lease. */
  readonly committedBatches: number
}

/**
 * Commits entries, all of them or none, and returns the `seq` of the last event. Waits while the database is
 * away. Rejects with `store_lease_lost` if another process has taken over the run.
 */
export type CommitBatch = (
  batch: readonly BatchEntry[],
  position: LogPosition,
  isCancelled: () => boolean,
) => Promise<number>

/** Creates the function that commits batches. `channel` gets a notification with the new `seq` of each. */
export function createCommitBatch(database: Database, channel: string): CommitBatch {
  const { schema } = database
  // One statement, so that a batch costs one round trip and works with a pooled connection. Its first part
  // locks the lease, and thereby waits for a process that takes it over. The counter of the lease lets a
  // repeated statement do nothing if the first one was committed. The row lock of `roots` is held until the
  // commit, so that the order of commits is the order of `seq`.
  const append = `
    WITH held AS MATERIALIZED (
      SELECT root, run_id FROM ${schema}.leases
      WHERE root = $1 AND run_id = $2 AND fence = $3 AND appended = $4 FOR UPDATE
    ), advanced AS (
      UPDATE ${schema}.roots SET last_seq = roots.last_seq + $5, bytes = roots.bytes + $6, changed_at = clock_timestamp(),
        agent = coalesce($7, agent), search = coalesce($8, search), outcome = coalesce($9, outcome), asked = asked OR $10
      FROM held WHERE roots.id = held.root RETURNING roots.root_run_id, roots.last_seq
    ), counted AS (
      UPDATE ${schema}.leases l SET appended = l.appended + 1, last_seq = advanced.last_seq FROM advanced
      WHERE l.root = $1 AND l.run_id = $2
    ), new_events AS (
      INSERT INTO ${schema}.events (root, seq, data)
      SELECT $1, advanced.last_seq - $5 + e.n, e.data FROM advanced, unnest($11::json[]) WITH ORDINALITY e (data, n)
    ), new_steps AS (
      INSERT INTO ${schema}.steps (root, run_id, key, data)
      SELECT $1, s.run_id, s.key, s.data FROM advanced, unnest($12::text[], $13::text[], $14::json[]) WITH ORDINALITY s (run_id, key, data, n)
      ORDER BY s.n
      ON CONFLICT (root, run_id, key) DO UPDATE SET data = excluded.data
    )
    SELECT last_seq, CASE WHEN $5 > 0 THEN pg_notify($15, last_seq || ' ' || root_run_id) END FROM advanced`

  /** Returns the last `seq` of an attempt whose result was lost; throws if the lease is lost instead. */
  async function findCommitted({ lease, committedBatches }: LogPosition): Promise<number> {
    const [row] = await database.query<{ fence: string; appended: string; last_seq: string }>(
      `SELECT fence, appended, last_seq FROM ${schema}.leases WHERE root = $1 AND run_id = $2`,
      [lease.root, toColumn(lease.runId)],
    )
    if (Number(row?.fence) === lease.fence && Number(row?.appended) === committedBatches + 1)
      return Number(row?.last_seq)
    throw new TroupeError(
      failure('store_lease_lost', `${database.name}: another process has taken over the run ${lease.runId}.`),
    )
  }

  return async (batch, position, isCancelled) => {
    const { lease, committedBatches } = position
    const events = batch.flatMap(({ event }) => event ?? [])
    // a statement may write a row only once, so that only the last value of a step is written
    const steps = [
      ...new Map(
        batch.flatMap(({ step }) =>
          step === undefined ? [] : [[`${step.runId}\0${step.key}`, step] as const],
        ),
      ).values(),
    ]
    const facts: RootRunFacts = Object.assign({}, ...batch.map((entry) => entry.facts))
    const values = [
      lease.root,
      toColumn(lease.runId),
      lease.fence,
      committedBatches,
      events.length,
      batch.reduce((sum, { bytes }) => sum + bytes, 0),
      facts.agent === undefined ? null : toColumn(facts.agent),
      facts.search === undefined ? null : toSearchColumn(facts.search),
      facts.outcome ?? null,
      facts.hasApprovalRequests === true,
      events,
      steps.map(({ runId }) => runId),
      steps.map(({ key }) => key),
      steps.map(({ data }) => data),
      channel,
    ]
    return database.retry(async () => {
      const [row] = await database.query<{ last_seq: string }>(append, values)
      return row === undefined ? findCommitted(position) : Number(row.last_seq)
    }, isCancelled)
  }
}
