import { DBOS } from '@dbos-inc/dbos-sdk'
import { wfQueueRunner } from '@dbos-inc/dbos-sdk/internal/wfqueue'
import { failure, troupeError, type Clock, type Failure } from '@troupe/schema'
import type { TaskRunner } from '@troupe/schema/ports'
import type { PostgresStore } from '@troupe/store-postgres'
import { openSharedLedger } from '../budget/shared-ledger.ts'
import { openTasks } from '../tasks/open-tasks.ts'
import {
  APPLICATION,
  DEPTHS,
  DBOS_SCHEMA,
  queueAddress,
  queueName,
  SILENT,
  WORKER_VERSION,
  WORKFLOW,
  type QueueLimits,
} from '../tasks/run-queues.ts'
import { holdWorkerLock, type WorkerLock } from './failover.ts'
import { removeOldTasks } from './remove-old-tasks.ts'
import { createTaskSessions, type TaskSessions } from './task-sessions.ts'

/** Options of {@link startWorker}. */
export interface WorkerOptions {
  /** Id of this process, different for each start. */
  readonly id: string
  /** The store that host and workers share. */
  readonly store: PostgresStore
  /** Direct address of its database, not that of a connection pooler. */
  readonly url: string
  /** The host that executes the runs. */
  readonly runner: TaskRunner
  readonly clock: Clock
  /** Concurrent runs of this worker at each depth. Default: 16. */
  readonly slots?: number
  /** Number of depths. All servers and workers must have the same. Default: 4. */
  readonly depths?: number
  readonly limits?: QueueLimits
  /**
   * Number of times that a run is put back into its queue, for at least one second each, because this worker has
   * other versions of its cards. It then fails with `run_changed`. Default: 60.
   */
  readonly maxPostponements?: number
  readonly process: { readonly host: string; readonly pid: number }
  /**
   * Called once if the worker has lost its lock. Its runs have stopped, and others continue them. The process
   * must exit.
   */
  onLost(reason: unknown): void
  /** Called with the reason of a run that failed before it started. */
  onProblem?(runId: string, reason: Failure): void
  /** Called with errors that are retried. */
  onError?(thrown: unknown): void
}

/** A worker that takes runs from the queues. */
export interface Worker {
  readonly id: string
  /** Number of executions in progress. */
  readonly running: number
  /**
   * Takes no more runs, and waits up to `drainMs` for those in progress. The rest is interrupted, and other
   * workers continue it.
   */
  close(drainMs: number): Promise<void>
}

const SLOTS = 16
const MAX_POSTPONEMENTS = 60
/** Shortest and longest time in ms between two reads of a queue. */
const POLL_MS = 50
const LONGEST_POLL_MS = 1000

/** The sessions of the worker of this process. DBOS allows one per process. */
let current: TaskSessions | undefined
let workflow: ReturnType<typeof registerWorkflow> | undefined

function registerWorkflow() {
  // The whole execution is one step, because only a step is interrupted when its workflow is cancelled.
  return DBOS.registerWorkflow(
    async (runId: string, execution: number): Promise<void> =>
      DBOS.runStep(
        async () => {
          await current?.execute(runId, execution, DBOS.stepStatus?.cancelSignal)
        },
        { name: 'execute' },
      ),
    { name: WORKFLOW, maxRecoveryAttempts: 10_000 },
  )
}

/** Starts the worker of this process. Rejects if the database cannot be reached. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { id, store, url, clock, slots = SLOTS, depths = DEPTHS } = options
  const { onError = () => undefined, onProblem = () => undefined } = options
  if (current !== undefined) throw troupeError('usage_invalid', 'This process already has a worker.')
  const { tasks, changes, queues, channel, close } = await openTasks(options)
  const sessions = createTaskSessions({
    ...options,
    worker: id,
    maxPostponements: options.maxPostponements ?? MAX_POSTPONEMENTS,
    tasks,
    changes,
    onProblem,
    onError,
    openLedger: (started) => openSharedLedger(started, { store, channel, changes, clock }),
  })
  const lost = Promise.withResolvers<unknown>()
  current = sessions
  workflow ??= registerWorkflow()
  let lock: WorkerLock | undefined
  try {
    await store.publishTransient()
    // The lock comes first: other workers take over the runs of a worker without one.
    lock = await holdWorkerLock({ url, worker: id, clock, onLost: lost.resolve, onError })
    await launch(options, { slots, depths })
  } catch (thrown) {
    current = undefined
    await lock?.close()
    await close()
    throw thrown
  }
  void lost.promise.then(async (reason) => {
    await sessions.interrupt(LOST)
    options.onLost(reason)
  })
  const report = reportWorker({ ...options, slots }, sessions, onError)
  const stopRemoval = removeOldTasks({ ...options, queues, onError })
  return {
    id,
    get running() {
      return sessions.running
    },
    async close(drainMs) {
      await DBOS.shutdown({ workflowCompletionTimeoutMS: drainMs })
      await sessions.interrupt(STOPPED)
      stopRemoval()
      await report.close()
      await lock?.close()
      await close()
      current = undefined
    },
  }
}

/** Starts to take runs from the queues. */
async function launch(
  { id, url, limits = {} }: WorkerOptions,
  { slots, depths }: { readonly slots: number; readonly depths: number },
): Promise<void> {
  const queues = Array.from({ length: depths }, (_, depth) => queueName(depth))
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: queueAddress(url),
    systemDatabaseSchemaName: DBOS_SCHEMA,
    executorID: id,
    applicationVersion: WORKER_VERSION,
    listenQueues: queues,
    useListenNotify: false,
    enableOTLP: false,
    runMigrations: false,
    logger: SILENT,
  })
  // DBOS doubles the time between two reads whenever workers collide, up to two minutes, and has no option for it.
  Reflect.set(wfQueueRunner.constructor, 'defaultMaxPollingIntervalMs', LONGEST_POLL_MS)
  await DBOS.launch()
  for (const queue of queues)
    await DBOS.registerQueue(queue, { ...toQueueParameters(limits, slots), onConflict: 'always_update' })
}

const LOST = failure('store_lease_lost', 'The worker has lost its lock.')
const STOPPED = failure('run_interrupted', 'The worker was stopped.')

function toQueueParameters(
  { globalConcurrency = Infinity, principalConcurrency, rateLimit }: QueueLimits,
  slots: number,
) {
  // DBOS refuses limits above that of all workers.
  return {
    workerConcurrency: Math.min(slots, globalConcurrency),
    minPollingIntervalMs: POLL_MS,
    ...(globalConcurrency === Infinity ? {} : { globalConcurrency }),
    ...(principalConcurrency === undefined
      ? {}
      : { partitionConcurrency: Math.min(principalConcurrency, globalConcurrency) }),
    ...(rateLimit === undefined
      ? {}
      : { rateLimit: { limitPerPeriod: rateLimit.runs, periodSec: rateLimit.perSeconds } }),
  }
}

const REPORT_MS = 5000

/** Writes that the worker is alive, and how many runs it executes, for `troupe top`. */
function reportWorker(
  { id, store, clock, process, slots }: WorkerOptions & { readonly slots: number },
  sessions: TaskSessions,
  onError: (thrown: unknown) => void,
): { close(): Promise<void> } {
  const { schema } = store
  let cancel: (() => void) | undefined
  const write = async (): Promise<void> => {
    await store.query(
      `INSERT INTO ${schema}.workers (id, host, pid, slots, running) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (id) DO UPDATE SET running = $5, seen_at = now()`,
      [id, process.host, process.pid, slots, sessions.running],
    )
  }
  const writeLater = (): void => {
    write()
      .catch(onError)
      .finally(() => {
        if (cancel !== closed) cancel = clock.after(REPORT_MS, writeLater)
      })
  }
  const closed = (): void => undefined
  // Workers that were killed did not remove themselves.
  store
    .query(`DELETE FROM ${schema}.workers WHERE seen_at < now() - interval '1 minute'`)
    .catch(onError)
    .finally(writeLater)
  return {
    async close() {
      cancel?.()
      cancel = closed
      await store.query(`DELETE FROM ${schema}.workers WHERE id = $1`, [id]).catch(onError)
    },
  }
}
