import { failure, toFailure, type Clock, type Failure } from '@troupe/schema'
import type { RunRequest, RunTreeLog, TaskResult, TaskRunner, TaskServices } from '@troupe/schema/ports'
import { isTemporaryFault, type PostgresStore } from '@troupe/store-postgres'
import type { SharedLedger } from '../budget/shared-ledger.ts'
import type { TaskChanges } from '../tasks/task-changes.ts'
import type { StartedTask, TaskTable } from '../tasks/task-table.ts'
import { createChildExecutor } from './child-executor.ts'

/** The executions in progress in a worker. */
export interface TaskSessions {
  readonly running: number
  /**
   * Executes a task until it has ended or is suspended. Never resolves for an execution that was interrupted,
   * because another worker continues it.
   */
  execute(runId: string, execution: number, signal: AbortSignal | undefined): Promise<void>
  /** Interrupts all executions. Resolves when they have stopped. */
  interrupt(reason: Failure): Promise<void>
}

interface TaskSessionsParts {
  readonly worker: string
  readonly store: PostgresStore
  readonly tasks: TaskTable
  readonly changes: TaskChanges
  readonly runner: TaskRunner
  /** Opens the budget ledger of a task whose log is open. */
  openLedger(started: StartedTask): Promise<SharedLedger>
  /** Number of times that a run is postponed, at least one second each, until a worker has its cards. */
  readonly maxPostponements: number
  readonly clock: Clock
  /** Called with the reason of a run that failed before it started. */
  onProblem(runId: string, reason: Failure): void
  /** Called with errors after which an execution is repeated. */
  onError(thrown: unknown): void
}

/** Delay in ms before an execution is repeated. */
const RETRY_MS = 500

/** Delay in seconds before a run is offered again to a worker with its cards. */
const POSTPONE_SECONDS = 1

const CANCELLED = failure('run_cancelled', 'The run was stopped.')

/** Creates sessions without executions. */
export function createTaskSessions(parts: TaskSessionsParts): TaskSessions {
  const { tasks, worker, clock, onError } = parts
  const open = new Set<AbortController>()
  const active = new Set<Promise<unknown>>()
  let interruption: Failure | undefined

  async function execute(runId: string, execution: number, stop: AbortController): Promise<void> {
    const result = await runOnce(runId, execution, stop)
    if (result === undefined) return
    // Another worker has taken the run over, and ends it.
    if (failureOf(result)?.code === 'store_lease_lost') await NEVER
    if (result.state === 'ended') await tasks.end(runId, execution)
    else if (result.state === 'waiting') await tasks.suspend(runId, execution, result.approvalIds)
    else if (result.state === 'failed') await endFailed(runId, execution, result.failure)
    else await NEVER
  }

  async function runOnce(
    runId: string,
    execution: number,
    stop: AbortController,
  ): Promise<ExecutedTask | undefined> {
    try {
      const started = await tasks.start(runId, execution, worker)
      return started && (await track(runTask(started, { stop, execution }, parts)))
    } catch (thrown) {
      if (isTemporaryFault(thrown)) throw thrown
      return { state: 'failed', failure: toFailure(thrown) }
    }
  }

  async function track<T>(running: Promise<T>): Promise<T> {
    active.add(running)
    try {
      return await running
    } finally {
      active.delete(running)
    }
  }

  /** Repeats an execution that the database interrupts. It continues from its stored steps. */
  async function executePersistently(runId: string, execution: number, stop: AbortController): Promise<void> {
    for (;;) {
      try {
        await execute(runId, execution, stop)
        return
      } catch (thrown) {
        if (interruption !== undefined) return NEVER
        onError(thrown)
        await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve))
      }
    }
  }

  async function endFailed(runId: string, execution: number, reason: Failure): Promise<void> {
    if (reason.code === 'run_changed' && execution <= parts.maxPostponements)
      return tasks.postpone(runId, execution, POSTPONE_SECONDS)
    parts.onProblem(runId, reason)
    await tasks.end(runId, execution, reason)
  }

  return {
    get running() {
      return open.size
    },
    async execute(runId, execution, signal) {
      if (interruption !== undefined) await NEVER
      const stop = new AbortController()
      const onAbort = (): void => stop.abort(CANCELLED)
      signal?.addEventListener('abort', onAbort, { once: true })
      open.add(stop)
      try {
        await executePersistently(runId, execution, stop)
      } finally {
        open.delete(stop)
        signal?.removeEventListener('abort', onAbort)
      }
    },
    async interrupt(reason) {
      interruption = reason
      for (const stop of open) stop.abort(reason)
      await Promise.allSettled(active)
    },
  }
}

/** An execution that another worker continues never resolves, so that it is not recorded as completed. */
const NEVER = new Promise<never>(() => undefined)

type ExecutedTask = TaskResult | { readonly state: 'failed'; readonly failure: Failure }

function failureOf(executed: ExecutedTask): Failure | undefined {
  if (executed.state === 'failed') return executed.failure
  return executed.state === 'ended' ? executed.result.failure : undefined
}

/** Runs a task, and reacts to its cancellation and to decisions on its calls. */
async function runTask(
  started: StartedTask,
  { stop, execution }: { readonly stop: AbortController; readonly execution: number },
  parts: TaskSessionsParts,
): Promise<ExecutedTask> {
  const { task, isCancelled, decisions } = started
  const { store, tasks, changes, runner, worker } = parts
  const { runId } = task.request
  const listeners = new Set<Parameters<TaskServices['onDecision']>[0]>()
  if (isCancelled) {
    await waitForChildren(runId, parts)
    stop.abort(CANCELLED)
  }

  const deliverDecisions = async (): Promise<void> => {
    if (listeners.size === 0) return
    for (const decision of await tasks.decisionsOf(runId))
      for (const listener of listeners) listener(decision)
  }
  const stopWatching = changes.watch(runId, {
    onStatus(status) {
      if (status?.isCancelled === true) stop.abort(CANCELLED)
    },
    // A decision that cannot be read now is found when the run is suspended.
    onDecision: () => void deliverDecisions().catch(() => undefined),
  })
  let opened: OpenedLog | undefined
  try {
    opened = await openLog(task.request, `${worker} ${execution}`, parts.store)
    const { log, readEvents } = opened
    const budgetLedger = await parts.openLedger(started)
    const children = createChildExecutor({ tasks, changes, store, parent: task.request })
    const services: TaskServices = {
      log,
      readEvents,
      executor: {
        async start(...call) {
          await budgetLedger.flush()
          return children.start(...call)
        },
      },
      budgetLedger,
      signal: stop.signal,
      decisions,
      onDecision(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
    let result: TaskResult | undefined
    try {
      result = await runner.execute(task, services)
      return result
    } finally {
      // The next start of an interrupted run recovers what is still reserved.
      if (result?.state !== 'interrupted') await budgetLedger.finish()
    }
  } catch (thrown) {
    const reason = toFailure(thrown)
    if (isTemporaryFault(thrown)) throw thrown
    // The run did not start, so it did not release its log. Otherwise it would be listed as running.
    await opened?.log.close()
    return { state: 'failed', failure: reason }
  } finally {
    stopWatching()
  }
}

/** Interval in ms at which the children of a cancelled run are checked, and how often. */
const CHECK_MS = 100
const CHECKS = 100

/**
 * Waits until the children of a cancelled run have ended, so that their ends precede its own. Gives up after ten
 * seconds, as a run does that is cancelled while it waits for its children.
 */
async function waitForChildren(
  runId: string,
  { tasks, clock }: Pick<TaskSessionsParts, 'tasks' | 'clock'>,
): Promise<void> {
  for (let check = 0; check < CHECKS && (await tasks.hasOpenChildren(runId)); check += 1)
    await new Promise<void>((resolve) => clock.after(CHECK_MS, resolve))
}

interface OpenedLog {
  readonly log: RunTreeLog
  /** Returns the stored events of the run and the runs below it; empty if the run has not started. */
  readEvents(): ReturnType<TaskServices['readEvents']>
}

/** Opens the log of a run. The execution before it, if any, can no longer write to it. */
async function openLog(
  { runId, rootRunId, parentRunId }: RunRequest,
  owner: string,
  store: PostgresStore,
): Promise<OpenedLog> {
  if (parentRunId === undefined) {
    const log = await store.open(runId, owner, { takeOver: true })
    return { log, readEvents: async () => store.events(rootRunId) }
  }
  const log = await store.openRun({ rootRunId, runId }, owner, { takeOver: true })
  return {
    log,
    async readEvents() {
      // Most child runs are executed once. Reading the events of the whole tree for each would take too long.
      if (log.isFirst || !(await store.steps(rootRunId, runId)).has('begin')) return []
      const events = await store.events(rootRunId, { after: log.firstAfter })
      const below = new Set([runId])
      return events.filter((event) => {
        if (event.parentRunId !== undefined && below.has(event.parentRunId)) below.add(event.runId)
        return below.has(event.runId)
      })
    },
  }
}
