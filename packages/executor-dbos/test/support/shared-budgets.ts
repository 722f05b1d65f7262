import { setImmediate as turn } from 'node:timers/promises'
import { systemClock } from '@troupe/core'
import type { Budget } from '@troupe/schema'
import type { BudgetScope, RunRequest, RunTreeSettings, Spend } from '@troupe/schema/ports'
import type { PostgresStore } from '@troupe/store-postgres'
import { createDatabase } from '@troupe/testkit/postgres'
import { afterAll, beforeAll, inject } from 'vitest'
import { openSharedLedger, type SharedLedger } from '../../src/budget/shared-ledger.ts'
import { openTasks, type OpenTasks } from '../../src/tasks/open-tasks.ts'
import { openStore } from './cluster.ts'

/** A run of a tree, with the caps of its card. */
export interface PlannedRun {
  readonly runId: string
  readonly parent?: PlannedRun
  readonly budget: Budget
}

/** A run that a worker has started, with its budget. */
export interface StartedRun {
  readonly ledger: SharedLedger
  readonly scope: BudgetScope | undefined
}

/** One connection of a worker to the database, without the worker itself. */
export interface BudgetWorker {
  readonly store: PostgresStore
  readonly open: OpenTasks
  /** Adds a root run. */
  addRoot(run: PlannedRun, tree?: Partial<RunTreeSettings>): Promise<void>
  /** Starts an execution of a run, adding it first if it is a child. `spent` is its usage before the fork. */
  start(run: PlannedRun, spent?: Spend): Promise<StartedRun>
  close(): Promise<void>
}

const DIGEST = 'digest'

/** Opens two workers of one database for the tests of a file. */
export function useBudgetWorkers(): () => readonly [BudgetWorker, BudgetWorker] {
  let workers: readonly [BudgetWorker, BudgetWorker] | undefined
  let database: Awaited<ReturnType<typeof createDatabase>> | undefined
  beforeAll(async () => {
    database = await createDatabase(inject('postgres'))
    workers = [await openBudgetWorker(database.url), await openBudgetWorker(database.url)]
  })
  afterAll(async () => {
    for (const worker of workers ?? []) await worker.close()
    await database?.drop()
  })
  return () => {
    if (workers === undefined) throw new TypeError('There are no workers before the tests.')
    return workers
  }
}

/** Opens the tasks of a database as a process of its own would. */
async function openBudgetWorker(url: string): Promise<BudgetWorker> {
  const store = await openStore(url)
  const open = await openTasks({ store, url, clock: systemClock })
  return {
    store,
    open,
    async close() {
      await open.close()
      await store.close()
    },
    addRoot: (run, tree = {}) =>
      open.tasks.addRoot({ request: toRequest(run), tree: { maxRuns: 1000, maxDepth: 8, ...tree } }),
    async start(run, spent) {
      if (run.parent !== undefined) await open.tasks.addChildren([toRequest(run)])
      const started = await open.tasks.start(run.runId, 1, 'worker')
      if (started === undefined) throw new TypeError(`${run.runId} cannot be started`)
      const ledger = await openSharedLedger(started, { store, clock: systemClock, ...open })
      const { runId, parent, budget } = run
      const scope = ledger.openScope({
        runId,
        parentRunId: parent?.runId,
        budget,
        limitName: (key) => `${key} of ${runId}`,
        spent,
      })
      await ledger.flush()
      return { ledger, scope }
    },
  }
}

function toRequest({ runId, parent }: PlannedRun): RunRequest {
  const above = parent === undefined ? undefined : toRequest(parent)
  return {
    runId,
    rootRunId: above?.rootRunId ?? runId,
    ...(above === undefined ? {} : { parentRunId: above.runId }),
    agent: { name: runId, digest: `${DIGEST} ${runId}` },
    instance: runId,
    input: '',
    ancestry:
      above === undefined
        ? []
        : [...above.ancestry, { runId: above.runId, name: above.agent.name, digest: above.agent.digest }],
    sessionId: runId,
    principal: 'local',
  }
}

/** Waits until every change of the runs is stored, and every notification that follows from it is handled. */
export async function settleBudgets(
  workers: readonly BudgetWorker[],
  ledgers: readonly SharedLedger[],
): Promise<void> {
  const [first] = workers
  if (first === undefined) return
  const countChanges = async (): Promise<string> => {
    for (;;) {
      const pending = ledgers.map((ledger) => ledger.flush()).filter((flush) => flush !== undefined)
      if (pending.length === 0) break
      await Promise.all(pending)
      await turn()
    }
    const [row] = await first.store.query<{ count: string }>(
      `SELECT coalesce(sum(changes), 0) AS count FROM ${first.store.schema}.budget_shares`,
    )
    return row?.count ?? ''
  }
  for (let count = await countChanges(); ;) {
    await Promise.all(workers.map(passNotifications))
    await turn()
    const next = await countChanges()
    if (next === count) return
    count = next
  }
}

let barriers = 0

/** Resolves when the worker has received all earlier notifications, and the first status of watched runs. */
async function passNotifications({ store, open }: BudgetWorker): Promise<void> {
  barriers += 1
  const key = `barrier ${barriers}`
  const arrived = Promise.withResolvers<void>()
  const read = Promise.withResolvers<void>()
  const stop = open.changes.watch(key, { onStatus: () => read.resolve(), onRelease: arrived.resolve })
  await store.query('SELECT pg_notify($1, $2)', [open.channel, `released ${key}`])
  await Promise.all([arrived.promise, read.promise])
  stop()
}
