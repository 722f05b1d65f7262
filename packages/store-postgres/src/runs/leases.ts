import type { PoolClient } from 'pg'
import { troupeError, type Clock } from '@troupe/schema'
import {
  LEASE_MS,
  sessionBusyError,
  type RootRunRecord,
  type SessionKey,
  type StoreDetail,
  type StoreWriter,
} from '@troupe/schema/ports'
import { fromColumn, toColumn, type Database } from '../connection/database.ts'

/** The right to append to the log of a run. `fence` increases with every lease of the run. */
export interface RunLease {
  /** Row id of the root run. */
  readonly root: number
  readonly rootRunId: string
  readonly runId: string
  readonly fence: number
  /** `seq` of the last event of the run tree before the first lease of the run, or less. */
  readonly firstAfter: number
  readonly detail: StoreDetail
  /** `seq` of the last event of the run tree when the lease was acquired. */
  readonly lastSeq: number
}

/** The run whose lease is acquired, and the root run it belongs to. */
export interface LeaseRequest {
  readonly rootRunId: string
  /** The root run itself, or a run below it, whose root run must exist. */
  readonly runId: string
  readonly owner: string
  readonly takeOver: boolean
  /** For a new root run. */
  readonly detail: StoreDetail
  readonly session: SessionKey | undefined
}

/** The leases held by one opened store. */
export interface RunLeases {
  /**
   * Acquires a lease. Rejects with `store_locked`, naming the process that holds it, with `session_busy`, or
   * with `run_unknown` if a run below an unknown root run is requested.
   */
  acquire(request: LeaseRequest): Promise<RunLease>
  /** Waits while the database is away, until `isCancelled` returns true. */
  release(lease: RunLease, isCancelled: () => boolean): Promise<void>
  /** Stops the renewal. */
  close(): void
}

/** Columns of a lease that {@link createHolderReader} needs. `leased` is false once the lease has expired. */
export interface LeaseColumns {
  readonly token: string | null
  readonly owner: string | null
  readonly pid: number | null
  readonly host: string | null
  readonly leased: boolean
}

/** The columns of `leases`, as `l`, for {@link LeaseColumns}. */
export const LEASE_COLUMNS = `l.token, l.owner, l.pid, l.host, coalesce(l.lease_until > clock_timestamp(), false) AS leased`

/** Returns the process that holds a lease; `undefined` if it is free. */
export type HolderReader = (
  lease: LeaseColumns,
  run: { readonly rootRunId: string; readonly runId: string },
) => NonNullable<RootRunRecord['owner']> | undefined

/**
 * Creates the function that reads the holder of a lease. The lease of an ended process of this host is free
 * before it expires.
 */
export function createHolderReader({
  writer,
  isOpen,
}: {
  readonly writer: StoreWriter
  isOpen(rootRunId: string, runId: string): boolean
}): HolderReader {
  return ({ token, owner, pid, host, leased }, { rootRunId, runId }) => {
    if (!leased || token === null || owner === null || pid === null || host === null) return undefined
    const holder = { name: fromColumn(owner), pid, host: fromColumn(host) }
    // a lease of this store without a log could otherwise never be released
    if (token === toColumn(writer.token)) return isOpen(rootRunId, runId) ? holder : undefined
    return holder.host !== writer.host || writer.isAlive(pid) ? holder : undefined
  }
}

const RENEW_MS = LEASE_MS / 6
/** Longest id of a run, session or principal in bytes. The limit of an index is about 2,700. */
const LONGEST_ID = 1000

interface FreeLease {
  readonly root: string
  readonly fence: string
  readonly first_after: string
  readonly detail: StoreDetail
  readonly last_seq: string
}

interface LeasedRoot {
  readonly id: string
  readonly detail: StoreDetail
  readonly session: string | null
  readonly principal: string | null
}

/** Creates the leases of a store. Renews them as long as there are any. */
export function createRunLeases({
  database,
  writer,
  clock,
  holderOf,
}: {
  readonly database: Database
  readonly writer: StoreWriter
  readonly clock: Clock
  readonly holderOf: HolderReader
}): RunLeases {
  const { schema } = database
  const token = toColumn(writer.token)
  let heldCount = 0
  let stopRenewal: (() => void) | undefined

  function renewLater(): void {
    stopRenewal = clock.after(RENEW_MS, () => void renew())
  }

  async function renew(): Promise<void> {
    try {
      await database.query(
        // in the order in which commits lock them
        `WITH held AS (SELECT root, run_id FROM ${schema}.leases WHERE token = $1 ORDER BY root, run_id FOR UPDATE)
         UPDATE ${schema}.leases l SET lease_until = clock_timestamp() + $2 * interval '1 ms' FROM held
         WHERE l.root = held.root AND l.run_id = held.run_id`,
        [token, LEASE_MS],
      )
    } catch {
      // The database is away. The next renewal may still be in time, and a lost lease is detected by its fence.
    }
    if (heldCount > 0) renewLater()
  }

  /** Returns the root run, which is inserted if it is new. */
  async function findRoot(client: PoolClient, request: LeaseRequest): Promise<LeasedRoot> {
    const { rootRunId, runId, detail, session } = request
    const columns = 'id, detail, session, principal'
    const select = `SELECT ${columns} FROM ${schema}.roots WHERE root_run_id = $1`
    const known = await client.query<LeasedRoot>(select, [toColumn(rootRunId)])
    if (known.rows[0] !== undefined) return known.rows[0]
    if (runId !== rootRunId)
      throw troupeError('run_unknown', `There is no run ${rootRunId.slice(0, 100)} in the store.`)
    const { sessionId, principal } = session ?? {}
    const inserted = await client.query<LeasedRoot>(
      `INSERT INTO ${schema}.roots (root_run_id, detail, session, principal) VALUES ($1, $2, $3, $4)
       ON CONFLICT (root_run_id) DO NOTHING RETURNING ${columns}`,
      [
        toColumn(rootRunId),
        detail,
        sessionId === undefined ? null : toColumn(sessionId),
        principal === undefined ? null : toColumn(principal),
      ],
    )
    // another process has just inserted it
    const row = inserted.rows[0] ?? (await client.query<LeasedRoot>(select, [toColumn(rootRunId)])).rows[0]
    if (row === undefined) throw troupeError('store_locked', `The run ${rootRunId} is being deleted.`)
    return row
  }

  /** Throws `session_busy` if another root run of the session is open. */
  async function requireFreeSession(
    client: PoolClient,
    { id, session, principal }: LeasedRoot,
  ): Promise<void> {
    if (session === null || principal === null) return
    // opens of one session wait for each other
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
      JSON.stringify([schema, principal, session]),
    ])
    const { rows } = await client.query<LeaseColumns & { root_run_id: string }>(
      `SELECT r.root_run_id, ${LEASE_COLUMNS} FROM ${schema}.roots r
       JOIN ${schema}.leases l ON l.root = r.id AND l.run_id = r.root_run_id
       WHERE r.principal = $1 AND r.session = $2 AND r.id <> $3 AND l.token IS NOT NULL`,
      [principal, session, id],
    )
    for (const row of rows) {
      const rootRunId = fromColumn(row.root_run_id)
      if (holderOf(row, { rootRunId, runId: rootRunId }) !== undefined) throw sessionBusyError(rootRunId)
    }
  }

  async function acquireIn(client: PoolClient, request: LeaseRequest): Promise<RunLease> {
    const { rootRunId, runId, owner, takeOver } = request
    const root = await findRoot(client, request)
    if (runId === rootRunId) await requireFreeSession(client, root)
    // the update locks the row, so that a commit of the previous holder is either finished or refused
    const { rows } = await client.query<LeaseColumns>(
      `INSERT INTO ${schema}.leases AS l (root, run_id) VALUES ($1, $2)
       ON CONFLICT (root, run_id) DO UPDATE SET run_id = excluded.run_id RETURNING ${LEASE_COLUMNS}`,
      [root.id, toColumn(runId)],
    )
    // the store has no log with a lease of its own, or the caller takes it over
    const holder = rows[0] === undefined || rows[0].token === token ? undefined : holderOf(rows[0], request)
    if (holder !== undefined && !takeOver)
      throw troupeError(
        'store_locked',
        `The run ${runId} is in use by process ${holder.pid} on ${holder.host}.`,
      )
    // All runs of a tree append to the row of the root run, so that those below it do not lock it here.
    const readRoot =
      runId === rootRunId
        ? `UPDATE ${schema}.roots SET changed_at = clock_timestamp() FROM taken WHERE id = $1 RETURNING fence, first_after, last_seq`
        : `SELECT fence, first_after, last_seq FROM ${schema}.roots, taken WHERE id = $1`
    const taken = await client.query<{ fence: string; first_after: string; last_seq: string }>(
      `WITH taken AS (
         UPDATE ${schema}.leases SET fence = fence + 1, appended = 0, token = $3, owner = $4, pid = $5, host = $6,
           lease_until = clock_timestamp() + $7 * interval '1 ms'
         WHERE root = $1 AND run_id = $2 RETURNING fence, first_after
       )
       ${readRoot}`,
      [root.id, toColumn(runId), token, toColumn(owner), writer.pid, toColumn(writer.host), LEASE_MS],
    )
    const [row] = taken.rows
    if (row === undefined) throw troupeError('store_locked', `The run ${rootRunId} is being deleted.`)
    return {
      root: Number(root.id),
      rootRunId,
      runId,
      fence: Number(row.fence),
      firstAfter: Number(row.first_after),
      detail: root.detail,
      lastSeq: Number(row.last_seq),
    }
  }

  /**
   * Acquires the lease of a run below its root run in one statement. Returns `undefined` if the root run is
   * unknown, or another process may hold the lease.
   */
  async function acquireFree({
    rootRunId,
    runId,
    owner,
    takeOver,
  }: LeaseRequest): Promise<RunLease | undefined> {
    const [row] = await database.query<FreeLease>(
      `WITH root AS (SELECT id, detail, last_seq FROM ${schema}.roots WHERE root_run_id = $1)
       INSERT INTO ${schema}.leases AS l (root, run_id, fence, first_after, token, owner, pid, host, lease_until)
       SELECT id, $2, 1, last_seq, $3, $4, $5, $6, clock_timestamp() + $7 * interval '1 ms' FROM root
       ON CONFLICT (root, run_id) DO UPDATE SET fence = l.fence + 1, appended = 0, token = excluded.token,
         owner = excluded.owner, pid = excluded.pid, host = excluded.host, lease_until = excluded.lease_until
       WHERE $8 OR l.token IS NULL OR l.token = excluded.token OR l.lease_until <= clock_timestamp()
       RETURNING root, fence, first_after, (SELECT detail FROM root) AS detail, (SELECT last_seq FROM root) AS last_seq`,
      [
        toColumn(rootRunId),
        toColumn(runId),
        token,
        toColumn(owner),
        writer.pid,
        toColumn(writer.host),
        LEASE_MS,
        takeOver,
      ],
    )
    if (row === undefined) return undefined
    const { detail } = row
    const root = Number(row.root)
    const fence = Number(row.fence)
    // the holder before may have appended events while this statement waited for it
    const lastSeq = fence === 1 ? Number(row.last_seq) : await lastSeqOf(root)
    return { root, rootRunId, runId, fence, firstAfter: Number(row.first_after), detail, lastSeq }
  }

  async function lastSeqOf(root: number): Promise<number> {
    const [row] = await database.query<{ last_seq: string }>(
      `SELECT last_seq FROM ${schema}.roots WHERE id = $1`,
      [root],
    )
    return Number(row?.last_seq ?? 0)
  }

  return {
    async acquire(request) {
      const { rootRunId, runId, session } = request
      for (const id of [rootRunId, runId, session?.sessionId ?? '', session?.principal ?? ''])
        if (Buffer.byteLength(toColumn(id)) > LONGEST_ID)
          throw troupeError('usage_invalid', `The id ${id.slice(0, 40)}… is longer than ${LONGEST_ID} bytes.`)
      const lease = await database.attempt(
        async () =>
          (runId === rootRunId ? undefined : await acquireFree(request)) ??
          (await database.transaction((client) => acquireIn(client, request))),
      )
      heldCount += 1
      if (heldCount === 1) renewLater()
      return lease
    },
    async release({ root, rootRunId, runId, fence }, isCancelled) {
      heldCount -= 1
      if (heldCount === 0) stopRenewal?.()
      const release = `
        WITH released AS (
          UPDATE ${schema}.leases SET token = NULL, owner = NULL, pid = NULL, host = NULL, lease_until = NULL
          WHERE root = $1 AND run_id = $2 AND fence = $3 RETURNING root
        )
        UPDATE ${schema}.roots SET changed_at = clock_timestamp() FROM released WHERE id = released.root AND $4`
      await database.retry(
        () => database.query(release, [root, toColumn(runId), fence, runId === rootRunId]),
        isCancelled,
      )
    },
    close() {
      heldCount = 0
      stopRenewal?.()
    },
  }
}
