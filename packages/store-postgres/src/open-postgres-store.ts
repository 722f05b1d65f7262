import type { PoolClient, QueryResultRow } from 'pg'
import { troupeError, type Clock, type Failure, type RunListener } from '@troupe/schema'
import type { RunStore, RunTreeLog, SessionKey, StoreDetail, StoreWriter } from '@troupe/schema/ports'
import { createDatabase, type Database } from './connection/database.ts'
import { migrate } from './connection/migrations.ts'
import { createNotifications } from './connection/notifications.ts'
import { storeError } from './connection/store-failure.ts'
import { createCommitBatch } from './log/commit-batch.ts'
import { createPostgresLog, type PostgresRunLog } from './log/postgres-log.ts'
import { createFollowers } from './runs/followers.ts'
import { createHolderReader, createRunLeases, type LeaseRequest, type RunLease } from './runs/leases.ts'
import { createRootRuns } from './runs/root-runs.ts'
import { createScheduleTable } from './runs/schedule-table.ts'
import { createSessionTable } from './runs/session-table.ts'
import { createTransientPublisher, type TransientPublisher } from './transient/transient-publisher.ts'

/** Options of {@link openPostgresStore}. */
export interface PostgresStoreOptions {
  /**
   * Address of the database: `postgresql://user:password@host:5432/database`. It may be that of a connection
   * pooler such as PgBouncer.
   */
  readonly url: string
  /** Address for notifications, which a connection pooler does not pass on. Default: `url`. */
  readonly directUrl?: string
  readonly clock: Clock
  /** Returns a random number 0 ≤ x < 1. */
  random(): number
  /** This process, as recorded in leases. */
  readonly writer: StoreWriter
  /** PostgreSQL schema of the tables, which is created if missing. Default: `troupe`. */
  readonly schema?: string
  /** Maximum number of connections, in addition to one for notifications. Default: 10. */
  readonly poolSize?: number
  /** Called when the database is away and runs wait, and with `undefined` when it is back. */
  onTrouble?(reason: Failure | undefined): void
}

/** A store in a PostgreSQL database, which processes of many machines may use at the same time. */
export interface PostgresStore extends RunStore {
  /** Quoted name of the PostgreSQL schema, for tables of other packages: `${schema}.name`. */
  readonly schema: string
  /**
   * Opens the log of a run tree, as {@link RunStore} says. With `takeOver`, takes the lease even if another
   * owner holds it, whose later entries then fail with `store_lease_lost`.
   */
  open(
    rootRunId: string,
    owner: string,
    options?: {
      readonly detail?: StoreDetail
      readonly session?: SessionKey
      readonly takeOver?: boolean
    },
  ): Promise<RunTreeLog>
  /**
   * Opens a log for one run of a run tree that other processes write, too. Its lease is that of the run. Its
   * listeners receive the events that are appended to it, not those of other logs. Throws `run_unknown` if
   * the store does not have the root run.
   */
  openRun(
    run: { readonly rootRunId: string; readonly runId: string },
    owner: string,
    options?: { readonly takeOver?: boolean },
  ): Promise<PostgresRunLog>
  /**
   * As in {@link RunStore}. Waits while the database is away. Transient events arrive from processes that
   * publish them.
   */
  follow(
    rootRunId: string,
    range: { readonly after: number; readonly wantsTransient?: () => boolean },
    listener: RunListener,
    onError: (thrown: unknown) => void,
  ): () => void
  /**
   * Publishes the transient events of all logs that are opened from now on, while their run trees are followed.
   * Rejects if the server cannot be reached.
   */
  publishTransient(): Promise<void>
  /**
   * Listens to a channel of NOTIFY. Rejects if the server cannot be reached. Reconnects if the connection is
   * lost and then calls `onReconnect`, because notifications may be lost. Returns a function that stops it.
   */
  listen(
    channel: string,
    listener: (payload: string) => void,
    onReconnect?: () => void,
  ): Promise<() => Promise<void>>
  /** Runs statements in one transaction. Rejects with the error of `pg`. */
  transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T>
  /**
   * Runs one statement on any connection and returns its rows. The statement is prepared, so pass what varies as
   * `values`. Rejects with the error of `pg`.
   */
  query<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /**
   * Repeats work until it succeeds, as long as the database is away or the work is in conflict with another
   * transaction. Rejects with a `TroupeError` for other faults, and when `isCancelled` returns true.
   */
  retry<T>(work: () => Promise<T>, isCancelled: () => boolean): Promise<T>
}

const DEFAULT_POOL = 10
const SCHEMA = /^[a-z_][a-z0-9_]{0,39}$/u

/**
 * Opens a store in a PostgreSQL database of version 15 or later, and creates its tables if they are missing.
 * Rejects with `store_unavailable`, `store_newer`, or `usage_invalid` for an invalid option. Messages never
 * contain the password.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { schema = 'troupe', poolSize = DEFAULT_POOL } = options
  if (!SCHEMA.test(schema))
    throw troupeError('usage_invalid', `"${schema.slice(0, 60)}" cannot be the schema of a store.`, {
      fix: 'Use up to 40 lower-case letters, digits and underscores.',
    })
  if (!Number.isSafeInteger(poolSize) || poolSize < 1)
    throw troupeError('usage_invalid', `poolSize must be an integer greater than 0, not ${poolSize}.`)
  const { url, directUrl = url } = options
  const database = createDatabase({ ...options, schema, poolSize, isPooler: directUrl !== url })
  try {
    await database.attempt(() => migrate(database))
  } catch (thrown) {
    await database.close()
    throw thrown
  }
  return createStore(database, { ...options, schema, channel: `${schema}_events` })
}

interface OpenedRun {
  readonly owner: string
  readonly log: Promise<PostgresRunLog>
}

function createStore(
  database: Database,
  options: PostgresStoreOptions & { readonly schema: string; readonly channel: string },
): PostgresStore {
  const { url, directUrl = url, clock, writer, schema, channel } = options
  const { name } = database
  const open = new Map<string, OpenedRun>()
  const holderOf = createHolderReader({ writer, isOpen: (...run) => open.has(keyOf(...run)) })
  const leases = createRunLeases({ database, writer, clock, holderOf })
  const runs = createRootRuns(database, { holderOf })
  const notifications = createNotifications({ url: directUrl, name, clock })
  const followers = createFollowers({ database, schema, runs, notifications, channel, clock })
  const commitBatch = createCommitBatch(database, channel)
  let publisher: TransientPublisher | undefined
  let isClosed = false

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    requireOpen()
    try {
      return await work()
    } catch (thrown) {
      throw storeError(thrown, name)
    }
  }

  function requireOpen(): void {
    if (isClosed) throw troupeError('usage_invalid', 'The store is closed.', { fix: 'Open a new one.' })
  }

  async function openLog(request: LeaseRequest): Promise<PostgresRunLog> {
    requireOpen()
    const { rootRunId, runId, owner, takeOver } = request
    const key = keyOf(rootRunId, runId)
    const current = open.get(key)
    if (current?.owner === owner) return current.log
    if (current !== undefined && !takeOver)
      throw troupeError('store_locked', `The run ${runId} is in use by ${current.owner}.`)
    const opened: OpenedRun = { owner, log: start(request, () => forget(key, opened)) }
    open.set(key, opened)
    try {
      return await opened.log
    } catch (thrown) {
      forget(key, opened)
      throw thrown
    }
  }

  function forget(key: string, opened: OpenedRun): void {
    if (open.get(key) === opened) open.delete(key)
  }

  async function start(request: LeaseRequest, onClose: () => void): Promise<PostgresRunLog> {
    const lease: RunLease = await leases.acquire(request)
    const { rootRunId } = lease
    let published: ReturnType<TransientPublisher['attach']> | undefined
    const log = createPostgresLog({
      lease,
      ...(publisher === undefined ? {} : { beforeCommit: () => published?.flush() }),
      clock,
      commitBatch,
      readEvents: (range, isCancelled) => database.retry(() => runs.events(rootRunId, range), isCancelled),
      readSteps: (runId, isCancelled) => database.retry(() => runs.steps(rootRunId, runId), isCancelled),
      async release(isCancelled) {
        published?.detach()
        onClose()
        await leases.release(lease, isCancelled)
      },
    })
    published = publisher?.attach(rootRunId, log)
    return log
  }

  return {
    schema: database.schema,
    open: (rootRunId, owner, { detail = 'full', session, takeOver = false } = {}) =>
      openLog({ rootRunId, runId: rootRunId, owner, detail, session, takeOver }),
    openRun: ({ rootRunId, runId }, owner, { takeOver = false } = {}) =>
      openLog({ rootRunId, runId, owner, detail: 'full', session: undefined, takeOver }),
    roots: (filter) => guarded(() => runs.roots(filter)),
    list: (query) => guarded(() => runs.list(query)),
    events: (rootRunId, { after = 0, limit } = {}) => guarded(() => runs.events(rootRunId, { after, limit })),
    steps: (rootRunId, runId) => guarded(() => runs.steps(rootRunId, runId)),
    sessions: createSessionTable(database, guarded),
    schedules: createScheduleTable(database, guarded),
    setLabel: (rootRunId, label) => guarded(() => runs.setLabel(rootRunId, label)),
    sizes: () => guarded(runs.sizes),
    purge: (rootRunIds) => guarded(() => runs.purge(rootRunIds)),
    follow(...request) {
      requireOpen()
      return followers.follow(...request)
    },
    async publishTransient() {
      requireOpen()
      publisher ??= createTransientPublisher({ database, schema, notifications, clock })
      await publisher.isReady
    },
    async listen(listened, onNotification, onReconnect) {
      const { isReady, remove } = notifications.add(listened, { onNotification, onReconnect })
      try {
        await isReady
        return remove
      } catch (thrown) {
        await remove()
        throw thrown
      }
    },
    transaction: database.transaction,
    query: database.query,
    retry: database.retry,
    async close() {
      if (isClosed) return
      isClosed = true
      followers.close()
      const closing = await Promise.allSettled(
        Array.from(open.values(), async ({ log }) => (await log).close()),
      )
      publisher?.close()
      leases.close()
      await notifications.close()
      await database.close()
      for (const each of closing) if (each.status === 'rejected') throw each.reason as Error
    },
  }
}

/** Returns the key of a run in a map. */
function keyOf(rootRunId: string, runId: string): string {
  return JSON.stringify([rootRunId, runId])
}
