import type { DatabaseSync } from 'node:sqlite'
import {
  LEASE_MS,
  type RootRunFilter,
  type RootRunQuery,
  type SessionKey,
  type RootRunRecord,
  type StoreDetail,
  type RootRunFacts,
  type RunLabel,
  type StoreWriter,
} from '@troupe/schema/ports'
import {
  createRootRunList,
  leaseholder,
  ROOT_RUN_COLUMNS,
  toRootRunRecord,
  type LeaseHolder,
  type RootRunRow,
} from './root-run-list.ts'

/**
 * A run tree that may be written. `fence` increases with every lease, so that writes under a lost lease are
 * detected.
 */
export interface RunTreeLease {
  readonly id: number
  readonly fence: number
  readonly detail: StoreDetail
  readonly lastSeq: number
}

/** Options for acquiring a lease. Detail and session apply to a new run tree. */
export interface AcquireLeaseOptions {
  readonly owner: string
  readonly detail: StoreDetail
  readonly session: SessionKey | undefined
}

/**
 * Reason why a run tree cannot be opened: the holder of its lease, or another open root run of its session.
 */
type LeaseRefusal = { readonly holder: LeaseHolder } | { readonly busyRoot: string }

/** The table of root runs and their leases. Does not open transactions. */
export interface RootRunTable {
  /** Acquires the lease, or returns the reason for the refusal. Inserts a new root run. */
  lease(
    rootRunId: string,
    options: AcquireLeaseOptions & { readonly now: number },
  ): RunTreeLease | LeaseRefusal
  /** Sets the end of the log. Returns false if the lease is lost. */
  advance(root: RunTreeLease, state: { readonly lastSeq: number; readonly now: number }): boolean
  /** Adds listing properties to a root run whose lease the caller holds. */
  addFacts(root: RunTreeLease, facts: RootRunFacts): void
  release(root: RunTreeLease, now: number): void
  /** Renews all leases of this writer. */
  renew(now: number): void
  /** Returns the row id and the `seq` of the last event. */
  find(rootRunId: string): Pick<RunTreeLease, 'id' | 'lastSeq'> | undefined
  list(now: number, filter?: RootRunFilter): readonly RootRunRecord[]
  /** Yields the root runs of a query in slices, newest first. Each step reads a bounded number of rows. */
  slices(query: RootRunQuery, now: number): Generator<readonly RootRunRecord[]>
  /** Sets or removes the label of a root run, with or without its lease. Returns false if it is unknown. */
  setLabel(rootRunId: string, label: RunLabel | undefined): boolean
  /** Deletes closed run trees. Returns the number of deleted ones. */
  remove(roots: readonly string[], now: number): number
}

/** Prepares the statements once. */
export function createRootRunTable(
  database: DatabaseSync,
  { writer, isOpen }: { readonly writer: StoreWriter; isOpen(rootRunId: string): boolean },
): RootRunTable {
  const select = database.prepare(`SELECT ${ROOT_RUN_COLUMNS} FROM roots WHERE root_run_id = ?`)
  const selectAll = database.prepare(`SELECT ${ROOT_RUN_COLUMNS} FROM roots ORDER BY id`)
  const selectPrincipal = database.prepare(
    `SELECT ${ROOT_RUN_COLUMNS} FROM roots WHERE principal = ? ORDER BY id`,
  )
  const selectSession = database.prepare(
    `SELECT ${ROOT_RUN_COLUMNS} FROM roots WHERE principal = ? AND session = ? ORDER BY id`,
  )
  const insert = database.prepare(
    'INSERT INTO roots (root_run_id, detail, session, principal, fence, token, owner, pid, host, lease_until, changed_at) VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)',
  )
  const take = database.prepare(
    'UPDATE roots SET fence = fence + 1, token = ?, owner = ?, pid = ?, host = ?, lease_until = ?, changed_at = ? WHERE id = ?',
  )
  const advance = database.prepare('UPDATE roots SET last_seq = ?, changed_at = ? WHERE id = ? AND fence = ?')
  // one statement each, because an update rewrites the index of every column that it names
  const setStart = database.prepare('UPDATE roots SET agent = ?, search = ? WHERE id = ?')
  const setOutcome = database.prepare('UPDATE roots SET outcome = ? WHERE id = ?')
  const markApprovalRequest = database.prepare('UPDATE roots SET asked = 1 WHERE id = ?')
  const rootRunList = createRootRunList(database)
  const release = database.prepare(
    'UPDATE roots SET token = NULL, owner = NULL, pid = NULL, host = NULL, lease_until = NULL, changed_at = ? WHERE id = ? AND fence = ?',
  )
  const renew = database.prepare('UPDATE roots SET lease_until = ? WHERE token = ?')
  const setLabel = database.prepare('UPDATE roots SET label = ?, label_note = ? WHERE root_run_id = ?')
  const remove = database.prepare('DELETE FROM roots WHERE id = ?')
  const removeSession = database.prepare(
    `DELETE FROM sessions WHERE principal = ?1 AND session = ?2
     AND NOT EXISTS (SELECT 1 FROM roots WHERE principal = ?1 AND session = ?2)`,
  )
  const removeBlobs = database.prepare('DELETE FROM blobs WHERE hash NOT IN (SELECT hash FROM blob_uses)')
  const holderOf = (row: RootRunRow, now: number): LeaseHolder | undefined => {
    const holder = leaseholder(row, now)
    if (holder === undefined) return undefined
    // an unused lease of this writer could otherwise never be released
    if (row.token === writer.token) return isOpen(row.root_run_id) ? holder : undefined
    return holder.host !== writer.host || writer.isAlive(holder.pid) ? holder : undefined
  }
  const read = (rootRunId: string): RootRunRow | undefined => select.get(rootRunId) as RootRunRow | undefined
  const readOne = (rootRunId: string, { principal, sessionId }: RootRunFilter): readonly RootRunRow[] => {
    const row = read(rootRunId)
    return row !== undefined &&
      (principal === undefined || row.principal === principal) &&
      (sessionId === undefined || row.session === sessionId)
      ? [row]
      : []
  }
  const readAll = (filter?: RootRunFilter): readonly RootRunRow[] => {
    if (filter === undefined) return selectAll.all() as unknown as readonly RootRunRow[]
    const { principal, sessionId, rootRunId } = filter
    if (rootRunId !== undefined) return readOne(rootRunId, filter)
    if (principal === undefined)
      return readAll().filter(({ session }) => sessionId === undefined || session === sessionId)
    const rows =
      sessionId === undefined ? selectPrincipal.all(principal) : selectSession.all(principal, sessionId)
    return rows as unknown as readonly RootRunRow[]
  }
  /** Returns another root run of the session that is open. */
  const findBusyRun = (
    rootRunId: string,
    { session, principal }: Pick<RootRunRow, 'session' | 'principal'>,
    now: number,
  ): RootRunRow | undefined =>
    session === null || principal === null
      ? undefined
      : readAll({ principal, sessionId: session }).find(
          (row) => row.root_run_id !== rootRunId && holderOf(row, now) !== undefined,
        )

  return {
    lease(rootRunId, { owner, detail, session, now }) {
      const row = read(rootRunId)
      const holder = row === undefined ? undefined : holderOf(row, now)
      if (holder !== undefined) return { holder }
      const { sessionId = null, principal = null } = session ?? {}
      const busy = findBusyRun(rootRunId, row ?? { session: sessionId, principal }, now)
      if (busy !== undefined) return { busyRoot: busy.root_run_id }
      const leased = [writer.token, owner, writer.pid, writer.host, now + LEASE_MS, now] as const
      if (row === undefined) {
        const { lastInsertRowid } = insert.run(rootRunId, detail, sessionId, principal, ...leased)
        return { id: Number(lastInsertRowid), fence: 1, detail, lastSeq: 0 }
      }
      take.run(...leased, row.id)
      return { id: row.id, fence: row.fence + 1, detail: row.detail, lastSeq: row.last_seq }
    },
    advance: ({ id, fence }, { lastSeq, now }) => advance.run(lastSeq, now, id, fence).changes === 1,
    addFacts({ id }, { agent, search, outcome, hasApprovalRequests }) {
      if (agent !== undefined && search !== undefined) setStart.run(agent, search, id)
      if (outcome !== undefined) setOutcome.run(outcome, id)
      if (hasApprovalRequests === true) markApprovalRequest.run(id)
    },
    release: ({ id, fence }, now) => void release.run(now, id, fence),
    renew: (now) => void renew.run(now + LEASE_MS, writer.token),
    find(rootRunId) {
      const row = read(rootRunId)
      return row === undefined ? undefined : { id: row.id, lastSeq: row.last_seq }
    },
    list: (now, filter) => readAll(filter).map((row) => toRootRunRecord(row, holderOf(row, now))),
    *slices(query, now) {
      for (const rows of rootRunList(query)) yield rows.map((row) => toRootRunRecord(row, holderOf(row, now)))
    },
    setLabel(rootRunId, label) {
      const note = label?.note === undefined ? null : JSON.stringify(label.note)
      return setLabel.run(label?.value ?? null, note, rootRunId).changes === 1
    },
    remove(roots, now) {
      const rows = roots.flatMap((rootRunId) => read(rootRunId) ?? [])
      const closed = rows.filter((row) => holderOf(row, now) === undefined)
      for (const { id, principal, session } of closed) {
        remove.run(id)
        removeSession.run(principal, session)
      }
      if (closed.length > 0) removeBlobs.run()
      return closed.length
    },
  }
}
