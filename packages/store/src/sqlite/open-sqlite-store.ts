import type { DatabaseSync } from 'node:sqlite'
import { resolve } from 'node:path'
import { troupeError, type Clock, type Failure, type Json } from '@troupe/schema'
import {
  RunListeners,
  type RunTreeLog,
  type RootRunQuery,
  type RunStore,
  type RootRunRecord,
  type StoreWriter,
} from '@troupe/schema/ports'
import { createCommitQueue } from './commit-queue.ts'
import { type Failpoint, passFailpoint, writeSlice } from './write-slice.ts'
import { createLeaseManager } from './leases.ts'
import { openDiskSync, openDatabase } from './open-database.ts'
import type { OpenRunTree } from './open-run-tree.ts'
import { createRootRunTable, type RunTreeLease } from './root-run-table.ts'
import { createPieceTable, createStepReader, type StepReader } from './piece-reader.ts'
import { createScheduleTable } from './schedule-table.ts'
import { createSessionTable } from './session-table.ts'
import { createSqliteLog } from './sqlite-log.ts'
import { storeError } from './store-failure.ts'
import { createTransactor } from './transactor.ts'

/** Options of {@link openSqliteStore}. */
export interface SqliteStoreOptions {
  /** Path of the file. File and folder are created if missing, accessible only to the current user. */
  readonly path: string
  readonly clock: Clock
  /** Returns a random number 0 ≤ x < 1. */
  random(): number
  /** This process, as recorded in leases. */
  readonly writer: StoreWriter
  /** Maximum size of the file in bytes, without its write-ahead log. Default: the space on disk. */
  readonly maxBytes?: number
  /** Called when the disk is full and runs wait, and with `undefined` when there is space again. */
  onTrouble?(reason: Failure | undefined): void
  /** For tests that simulate crashes. */
  readonly failpoint?: Failpoint
}

/** A store in one file, which several processes may use at the same time. */
export interface SqliteStore extends RunStore {
  /** Returns the reason why runs wait for the store; `undefined` if they do not. */
  trouble(): Failure | undefined
}

/**
 * Opens a store in an SQLite file with a write-ahead log. The entries of all run trees are committed together
 * when the event loop continues, and their events are emitted once they are on disk. Rejects with
 * `store_unavailable`, `store_corrupt`, `store_newer` or `store_full`.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  return createStore(await openDatabase(options), options)
}

interface OpenLog {
  readonly owner: string
  readonly log: Promise<RunTreeLog>
}

function createStore(database: DatabaseSync, options: SqliteStoreOptions): SqliteStore {
  const { path, clock, writer, failpoint } = options
  const open = new Map<string, OpenLog>()
  const rows = createPieceTable(database, path)
  const roots = createRootRunTable(database, { writer, isOpen: (rootRunId) => open.has(rootRunId) })
  const transact = createTransactor(database, options)
  const leases = createLeaseManager({ roots, transact, clock, failpoint })
  const target = { database, rows, roots, failpoint }
  const disk = openDiskSync(path)
  const queue = createCommitQueue({
    ...options,
    write: (slice) => writeSlice(slice, target, clock.now()),
    sync: disk.run,
    ...(failpoint === undefined ? {} : { onSynced: (slice) => passFailpoint(slice, 'committed', failpoint) }),
  })
  let lastSteps: { readonly root: number; readonly read: StepReader } | undefined
  let closed = false

  /** Reads from a root run. Sees everything that is committed, by any process. */
  function read<T>(
    rootRunId: string,
    work: (root: Pick<RunTreeLease, 'id' | 'lastSeq'>) => T,
    nothing: T,
  ): T {
    return guarded(() => {
      const root = roots.find(rootRunId)
      return root === undefined ? nothing : work(root)
    })
  }

  /**
   * Returns the steps of a run tree. Caches the last one, because its runs are usually read one after the
   * other.
   */
  function stepsOf(root: number): StepReader {
    if (lastSteps?.root !== root) lastSteps = { root, read: createStepReader(root, rows) }
    return lastSteps.read
  }

  function guarded<T>(work: () => T): T {
    if (closed) throw troupeError('usage_invalid', 'The store is closed.', { fix: 'Open a new one.' })
    try {
      return work()
    } catch (thrown) {
      throw storeError(thrown, path)
    }
  }

  /** Lets the event loop continue between the slices of a long search. */
  async function list(query: RootRunQuery): Promise<readonly RootRunRecord[]> {
    const found: RootRunRecord[] = []
    const slices = roots.slices(query, clock.now())
    for (;;) {
      const { done, value } = guarded(() => slices.next())
      if (done === true) return found
      found.push(...value)
      query.signal?.throwIfAborted()
      if (found.length < query.limit) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async function start(rootRunId: string, lease: Promise<RunTreeLease>): Promise<RunTreeLog> {
    try {
      const root = toOpenRunTree(await lease)
      const release = async (): Promise<void> => {
        open.delete(rootRunId)
        await leases.release(root.lease)
      }
      return createSqliteLog(root, { queue, rows, release })
    } catch (thrown) {
      open.delete(rootRunId)
      throw thrown
    }
  }

  return {
    files: filesOf(path),
    open: (rootRunId, owner, { detail = 'full', session } = {}) =>
      guarded(() => {
        const current = open.get(rootRunId)
        if (current?.owner === owner) return current.log
        if (current !== undefined)
          throw troupeError('store_locked', `The run ${rootRunId} is in use by ${current.owner}.`)
        const log = start(rootRunId, leases.acquire(rootRunId, { owner, detail, session }))
        open.set(rootRunId, { owner, log })
        return log
      }),
    roots: (filter) => guarded(() => roots.list(clock.now(), filter)),
    list,
    events: (rootRunId, { after = 0, limit = -1 } = {}) =>
      read(rootRunId, ({ id, lastSeq: end }) => rows.events(id, { after, limit, end }), []),
    steps: (rootRunId, runId) => read(rootRunId, ({ id }) => stepsOf(id)(runId), NO_STEPS),
    setLabel: (rootRunId, label) => transact(() => roots.setLabel(rootRunId, label)),
    sizes: () => guarded(rows.sizes),
    async purge(rootRunIds) {
      lastSteps = undefined
      const count = await transact(() => roots.remove(rootRunIds, clock.now()))
      // returns the space to the disk, and removes copies from the write-ahead log
      guarded(() => database.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)'))
      return count
    },
    sessions: createSessionTable(database, { transact, read: guarded }),
    schedules: createScheduleTable(database, { transact, read: guarded }),
    trouble: () => queue.trouble,
    async close() {
      if (closed) return
      closed = true
      const closing = await Promise.allSettled(
        Array.from(open.values(), async ({ log }) => (await log).close()),
      )
      disk.close()
      database.close()
      for (const each of closing) if (each.status === 'rejected') throw each.reason as Error
    },
  }
}

/** Returns the database file and the files that SQLite creates beside it. */
function filesOf(path: string): readonly string[] {
  return ['', '-wal', '-shm', '-journal'].map((suffix) => resolve(path) + suffix)
}

const NO_STEPS: ReadonlyMap<string, Json> = new Map()

function toOpenRunTree(lease: RunTreeLease): OpenRunTree {
  return {
    lease,
    listeners: new RunListeners(),
    lastSeq: lease.lastSeq,
    committedSeq: lease.lastSeq,
    emittedSeq: lease.lastSeq,
    waiting: 0,
    written: 0,
    committed: 0,
    waiters: [],
    lostReason: undefined,
  }
}
