import type { DatabaseSync } from 'node:sqlite'
import { resolve } from 'node:path'
import {
  troupeError,
  type Clock,
  type Failure,
  type Json,
  type RootLog,
  type RootQuery,
  type RunStore,
  type StoredRoot,
} from '@troupe/schema'
import { Listeners } from '../listeners.ts'
import { createCommitQueue } from './commit-queue.ts'
import type { Failpoint } from './failpoint.ts'
import { createLeases } from './leases.ts'
import { openDiskSync } from './disk-sync.ts'
import { openDatabase } from './open-database.ts'
import type { OpenRoot } from './open-root.ts'
import { createRoots, type LeasedRoot, type Writer } from './roots.ts'
import { createRows } from './rows.ts'
import { createSqliteLog } from './sqlite-log.ts'
import { storeError } from './store-failure.ts'
import { createStepReader, type StepReader } from './step-reader.ts'
import { createTransactor } from './transactor.ts'
import { passAll, writeSlice } from './write-slice.ts'

/** What {@link openSqliteStore} takes. */
export interface SqliteStoreOptions {
  /** The file. It and its folder are made where they are not there, readable for this user only. */
  readonly path: string
  readonly clock: Clock
  /** 0 ≤ x < 1. */
  random(): number
  /** This process, as a lease names it. */
  readonly writer: Writer
  /** The most the file may take, its write-ahead log aside; none: what the disk has. */
  readonly maxBytes?: number
  /** The disk is full: runs wait. Undefined: there is space again. */
  onTrouble?(reason: Failure | undefined): void
  /** For tests of what a crash leaves behind. */
  readonly failpoint?: Failpoint
}

/** A store in one file, which several processes may use at once. */
export interface SqliteStore extends RunStore {
  /** Why runs wait for the time being; undefined: they do not. */
  trouble(): Failure | undefined
}

/**
 * Keeps the logs of roots in a file of SQLite: write-ahead log, told when it is on the disk, all roots committed together when the event
 * loop turns. Rejects with `store_unavailable`, `store_corrupt`, `store_newer` or `store_full`.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  return createStore(await openDatabase(options), options)
}

interface OpenLog {
  readonly owner: string
  readonly log: Promise<RootLog>
}

function createStore(database: DatabaseSync, options: SqliteStoreOptions): SqliteStore {
  const { path, clock, writer, failpoint } = options
  const open = new Map<string, OpenLog>()
  const rows = createRows(database, path)
  const roots = createRoots(database, { writer, isOpen: (rootRunId) => open.has(rootRunId) })
  const transact = createTransactor(database, options)
  const leases = createLeases({ roots, transact, clock, failpoint })
  const target = { database, rows, roots, failpoint }
  const disk = openDiskSync(path)
  const queue = createCommitQueue({
    ...options,
    write: (slice) => writeSlice(slice, target, clock.now()),
    sync: disk.run,
    ...(failpoint === undefined ? {} : { onKept: (slice) => passAll(slice, 'committed', failpoint) }),
  })
  let lastSteps: { readonly root: number; readonly read: StepReader } | undefined
  let closed = false

  /** What is read here sees all that is committed, by whomever. */
  function read<T>(rootRunId: string, work: (root: Pick<LeasedRoot, 'id' | 'lastSeq'>) => T, nothing: T): T {
    return guarded(() => {
      const root = roots.find(rootRunId)
      return root === undefined ? nothing : work(root)
    })
  }

  /** Of the root that was asked for last: whoever asks for one of its runs asks for the others too. */
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

  /** Lets the event loop turn between the slices of a long search. */
  async function list(query: RootQuery): Promise<readonly StoredRoot[]> {
    const found: StoredRoot[] = []
    const slices = roots.slices(query, clock.now())
    for (;;) {
      const { done, value } = guarded(() => slices.next())
      if (done === true) return found
      found.push(...value)
      query.signal?.throwIfAborted()
      if (found.length < query.limit) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async function start(rootRunId: string, lease: Promise<LeasedRoot>): Promise<RootLog> {
    try {
      const root = openRoot(await lease)
      const release = async (): Promise<void> => {
        open.delete(rootRunId)
        await leases.give(root.lease)
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
        const mine = open.get(rootRunId)
        if (mine?.owner === owner) return mine.log
        if (mine !== undefined)
          throw troupeError('store_locked', `The run ${rootRunId} is open by ${mine.owner}.`)
        const log = start(rootRunId, leases.take(rootRunId, { owner, detail, session }))
        open.set(rootRunId, { owner, log })
        return log
      }),
    roots: (filter) => guarded(() => roots.list(clock.now(), filter)),
    list,
    events: (rootRunId, { after = 0, limit = -1 } = {}) =>
      read(rootRunId, ({ id, lastSeq: end }) => rows.events(id, { after, limit, end }), []),
    steps: (rootRunId, runId) => read(rootRunId, ({ id }) => stepsOf(id)(runId), NO_STEPS),
    sizes: () => guarded(rows.sizes),
    async purge(rootRunIds) {
      lastSteps = undefined
      const count = await transact(() => roots.remove(rootRunIds, clock.now()))
      // gives the space back to the disk, and leaves no copy in the write-ahead log
      guarded(() => database.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)'))
      return count
    },
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

/** The database, and what SQLite keeps beside it. */
function filesOf(path: string): readonly string[] {
  return ['', '-wal', '-shm', '-journal'].map((suffix) => resolve(path) + suffix)
}

const NO_STEPS: ReadonlyMap<string, Json> = new Map()

function openRoot(lease: LeasedRoot): OpenRoot {
  return {
    lease,
    listeners: new Listeners(),
    lastSeq: lease.lastSeq,
    placedSeq: lease.lastSeq,
    toldSeq: lease.lastSeq,
    waiting: 0,
    written: 0,
    committed: 0,
    waiters: [],
    lost: undefined,
  }
}
