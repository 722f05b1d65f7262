import { failure, TroupeError, troupeError } from '@troupe/schema'
import {
  factsOfEntry,
  metadataEvent,
  type LogEntry,
  type RootRunFacts,
  type StoreDetail,
} from '@troupe/schema/ports'
import { toColumn, toSearchColumn, type Database } from '../connection/database.ts'
import { isTemporaryFault } from '../connection/store-failure.ts'
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

/** A batch that waits for the commit in progress of its root run. */
interface WaitingBatch extends LogPosition {
  readonly batch: readonly BatchEntry[]
  readonly resolve: (lastSeq: number) => void
  readonly reject: (thrown: unknown) => void
}

/** Maximum number of batches of one commit, and of the bytes after which it gets no further batch. */
const COMMIT_BATCHES = 100
const COMMIT_BYTES = 4 * 1024 * 1024

/**
 * Creates the function that commits batches. Those of one root run that arrive during a commit share the next
 * one, because each commit holds the row of the root run until it is on disk. `channel` gets a notification with
 * the new `seq` of each commit.
 */
export function createCommitBatch(database: Database, channel: string): CommitBatch {
  const waiting = new Map<number, WaitingBatch[]>()
  const commit = createCommit(database, channel)

  /** Commits all waiting batches of a root run. */
  async function workOff(root: number, batches: WaitingBatch[]): Promise<void> {
    while (batches.length > 0) await commitTogether(takeFirst(batches))
    waiting.delete(root)
  }

  async function commitTogether(batches: readonly WaitingBatch[]): Promise<void> {
    let lastSeqs: ReadonlyMap<number, number>
    try {
      lastSeqs = await commit(batches)
    } catch (thrown) {
      // one of them may be the reason, which the others must not suffer from
      if (batches.length === 1 || isTemporaryFault(thrown)) for (const { reject } of batches) reject(thrown)
      else for (const each of batches) await commitTogether([each])
      return
    }
    for (const [index, each] of batches.entries()) {
      const lastSeq = lastSeqs.get(index)
      if (lastSeq === undefined) findCommitted(each).then(each.resolve, each.reject)
      else each.resolve(lastSeq)
    }
  }

  /** Returns the last `seq` of an attempt whose result was lost; throws if the lease is lost instead. */
  async function findCommitted({ lease, committedBatches }: LogPosition): Promise<number> {
    const [row] = await database.query<{ fence: string; appended: string; last_seq: string }>(
      `SELECT fence, appended, last_seq FROM ${database.schema}.leases WHERE root = $1 AND run_id = $2`,
      [lease.root, toColumn(lease.runId)],
    )
    if (Number(row?.fence) === lease.fence && Number(row?.appended) === committedBatches + 1)
      return Number(row?.last_seq)
    throw new TroupeError(
      failure('store_lease_lost', `${database.name}: another process has taken over the run ${lease.runId}.`),
    )
  }

  function commitOnce(batch: readonly BatchEntry[], position: LogPosition): Promise<number> {
    return new Promise((resolve, reject) => {
      const { root } = position.lease
      const known = waiting.get(root)
      const batches = known ?? []
      batches.push({ ...position, batch, resolve, reject })
      if (known !== undefined) return
      waiting.set(root, batches)
      void workOff(root, batches)
    })
  }

  // each batch is repeated on its own, because its log may give up before the others
  return (batch, position, isCancelled) => database.retry(() => commitOnce(batch, position), isCancelled)
}

/** Removes the first batches, within the limits of a commit. */
function takeFirst(batches: WaitingBatch[]): readonly WaitingBatch[] {
  let bytes = 0
  let size = 0
  for (const { batch } of batches) {
    if (size === COMMIT_BATCHES || (size > 0 && bytes >= COMMIT_BYTES)) break
    bytes += bytesOf(batch)
    size += 1
  }
  return batches.splice(0, size)
}

function bytesOf(batch: readonly BatchEntry[]): number {
  return batch.reduce((sum, { bytes }) => sum + bytes, 0)
}

/**
 * Creates the function that commits batches of one root run, and returns the last `seq` of each by its index. A
 * batch whose lease is lost, or that was committed before, is left out.
 */
function createCommit(
  { schema, query }: Database,
  channel: string,
): (batches: readonly WaitingBatch[]) => Promise<ReadonlyMap<number, number>> {
  // One statement, so that a commit costs one round trip and works with a pooled connection. It locks the leases,
  // and thereby waits for a process that takes one over. The counter of a lease lets a repeated statement do
  // nothing if the first one was committed. The row lock of `roots` is held until the commit, so that the order
  // of commits is the order of `seq`.
  const statement = `
    WITH given AS (
      SELECT * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::int[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::boolean[])
        WITH ORDINALITY AS given (run_id, fence, appended, events, bytes, agent, search, outcome, asked, n)
    ), held AS MATERIALIZED (
      SELECT given.* FROM ${schema}.leases l JOIN given ON given.run_id = l.run_id
      WHERE l.root = $1 AND l.fence = given.fence AND l.appended = given.appended ORDER BY l.run_id FOR UPDATE OF l
    ), total AS (
      SELECT sum(events) AS events, sum(bytes) AS bytes, max(agent) AS agent, max(search) AS search,
        max(outcome) AS outcome, bool_or(asked) AS asked FROM held HAVING count(*) > 0
    ), advanced AS (
      UPDATE ${schema}.roots SET last_seq = roots.last_seq + total.events, bytes = roots.bytes + total.bytes,
        changed_at = clock_timestamp(), agent = coalesce(total.agent, roots.agent),
        search = coalesce(total.search, roots.search), outcome = coalesce(total.outcome, roots.outcome),
        asked = roots.asked OR total.asked
      FROM total WHERE roots.id = $1 RETURNING roots.root_run_id, roots.last_seq, total.events
    ), placed AS (
      SELECT held.n, held.run_id,
        advanced.last_seq - advanced.events + sum(held.events) OVER (ORDER BY held.n) AS last_seq, held.events
      FROM held, advanced
    ), counted AS (
      UPDATE ${schema}.leases l SET appended = l.appended + 1, last_seq = placed.last_seq FROM placed
      WHERE l.root = $1 AND l.run_id = placed.run_id
    ), new_events AS (
      INSERT INTO ${schema}.events (root, seq, data)
      SELECT $1, placed.last_seq - placed.events + e.place, e.data
      FROM placed JOIN unnest($11::int[], $12::int[], $13::json[]) e (n, place, data) ON e.n = placed.n
    ), new_steps AS (
      INSERT INTO ${schema}.steps (root, run_id, key, data)
      SELECT $1, s.run_id, s.key, s.data
      FROM placed JOIN unnest($14::int[], $15::text[], $16::text[], $17::json[]) WITH ORDINALITY s (n, run_id, key, data, place)
        ON s.n = placed.n
      ORDER BY s.place
      ON CONFLICT (root, run_id, key) DO UPDATE SET data = excluded.data
    ), notified AS MATERIALIZED (
      SELECT pg_notify($18, last_seq || ' ' || root_run_id) FROM advanced WHERE events > 0
    )
    SELECT placed.n, placed.last_seq, (SELECT count(*) FROM notified) FROM placed`

  return async (batches) => {
    const all = batches.map(({ batch, lease, committedBatches }) => ({
      lease,
      committedBatches,
      bytes: bytesOf(batch),
      facts: Object.assign({}, ...batch.map((entry) => entry.facts)) as RootRunFacts,
      events: batch.flatMap(({ event }) => event ?? []),
      steps: lastSteps(batch),
    }))
    const events = all.flatMap((each, index) =>
      each.events.map((data, place) => ({ n: index + 1, place: place + 1, data })),
    )
    const steps = all.flatMap((each, index) => each.steps.map((step) => ({ n: index + 1, ...step })))
    const rows = await query<{ n: string; last_seq: string }>(statement, [
      all[0]?.lease.root,
      all.map(({ lease }) => toColumn(lease.runId)),
      all.map(({ lease }) => lease.fence),
      all.map(({ committedBatches }) => committedBatches),
      all.map((each) => each.events.length),
      all.map(({ bytes }) => bytes),
      all.map(({ facts: { agent } }) => (agent === undefined ? null : toColumn(agent))),
      all.map(({ facts: { search } }) => (search === undefined ? null : toSearchColumn(search))),
      all.map(({ facts: { outcome } }) => outcome ?? null),
      all.map(({ facts }) => facts.hasApprovalRequests === true),
      events.map(({ n }) => n),
      events.map(({ place }) => place),
      events.map(({ data }) => data),
      steps.map(({ n }) => n),
      steps.map(({ runId }) => runId),
      steps.map(({ key }) => key),
      steps.map(({ data }) => data),
      channel,
    ])
    return new Map(rows.map(({ n, last_seq: lastSeq }) => [Number(n) - 1, Number(lastSeq)]))
  }
}

/** Returns the last value of each step, because a statement may write a row only once. */
function lastSteps(batch: readonly BatchEntry[]): readonly NonNullable<BatchEntry['step']>[] {
  const steps = batch.flatMap(({ step }) => step ?? [])
  return [...new Map(steps.map((step) => [`${step.runId}\0${step.key}`, step])).values()]
}
