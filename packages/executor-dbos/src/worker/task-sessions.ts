import { failure, toFailure, type Failure } from '@troupe/schema'
import type {
  BudgetLedger,
  RunRequest,
  RunTask,
  TaskResult,
  TaskRunner,
  TaskServices,
} from '@troupe/schema/ports'
import type { PostgresStore } from '@troupe/store-postgres'
import type { TaskChanges } from '../tasks/task-changes.ts'
import type { StartedTask, TaskTable } from '../tasks/task-table.ts'
import { createChildExecutor } from './child-executor.ts'

/** The executions in progress in a worker. */
export interface TaskSessions {
  readonly running: number
  /**
   * Executes a task until it has ended or is suspended. Never resolves for an execution that was interrupted,
   * because another worker continues it. Rejects if the database cannot be used.
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
  openLedger(task: RunTask): BudgetLedger
  /** Called with the reason of a run that failed before it started. */
  onProblem(runId: string, reason: Failure): void
}

/** Delay in seconds before a run is offered again to a worker with its cards. */
const POSTPONE_SECONDS = 1
/** Number of executions after which a run fails because no worker has its cards. */
const MAX_POSTPONEMENTS = 60

const CANCELLED = failure('run_cancelled', 'The run was stopped.')

/** Creates sessions without executions. */
export function createTaskSessions(parts: TaskSessionsParts): TaskSessions {
  const { tasks, worker } = parts
  const open = new Set<{ readonly stop: AbortController; readonly end: Promise<unknown> }>()
  let interruption: Failure | undefined

  async function execute(runId: string, execution: number, stop: AbortController): Promise<void> {
    const started = await tasks.start(runId, execution, worker)
    if (started === undefined) return
    const result = await runTask(started, { stop, execution }, parts)
    if (result.state === 'ended') await tasks.end(runId, execution)
    else if (result.state === 'waiting') await tasks.suspend(runId, execution, result.approvalIds)
    else if (result.state === 'failed') await endFailed(runId, execution, result.failure)
    else await NEVER
  }

  async function endFailed(runId: string, execution: number, reason: Failure): Promise<void> {
    if (reason.code === 'store_lease_lost') return
    if (reason.code === 'run_changed' && execution <= MAX_POSTPONEMENTS)
      return tasks.postpone(runId, execution, POSTPONE_SECONDS)
    parts.onProblem(runId, reason)
    await tasks.end(runId, execution, reason)
  }

  return {
    get running() {
      return open.size
    },
    async execute(runId, execution, signal) {
      if (interruption !== undefined) return NEVER
      const stop = new AbortController()
      const onAbort = (): void => stop.abort(CANCELLED)
      signal?.addEventListener('abort', onAbort, { once: true })
      const end = execute(runId, execution, stop)
      const session = { stop, end }
      open.add(session)
      try {
        await end
      } finally {
        open.delete(session)
        signal?.removeEventListener('abort', onAbort)
      }
    },
    async interrupt(reason) {
      interruption = reason
      for (const { stop } of open) stop.abort(reason)
    },
  }
}

/** An execution that another worker continues never resolves, so that it is not recorded as completed. */
const NEVER = new Promise<never>(() => undefined)

type ExecutedTask = TaskResult | { readonly state: 'failed'; readonly failure: Failure }

/** Runs a task, and reacts to its cancellation and to decisions on its calls. */
async function runTask(
  { task, isCancelled, decisions }: StartedTask,
  { stop, execution }: { readonly stop: AbortController; readonly execution: number },
  parts: TaskSessionsParts,
): Promise<ExecutedTask> {
  const { store, tasks, changes, runner, worker } = parts
  const { runId } = task.request
  const listeners = new Set<Parameters<TaskServices['onDecision']>[0]>()
  if (isCancelled) stop.abort(CANCELLED)

  async function check(): Promise<void> {
    if ((await tasks.findCancelled([runId])).length > 0) stop.abort(CANCELLED)
    if (listeners.size === 0) return
    for (const decision of await tasks.decisionsOf(runId))
      for (const listener of listeners) listener(decision)
  }
  const stopWatching = changes.watch(
    runId,
    // The next notification or check reads the same again.
    () => void check().catch(() => undefined),
  )
  try {
    const log = await openLog(task.request, `${worker} ${execution}`, parts.store)
    return await runner.execute(task, {
      log,
      readEvents: () => readEvents(task.request, store),
      executor: createChildExecutor({ tasks, changes, store, parent: task.request }),
      budgetLedger: parts.openLedger(task),
      signal: stop.signal,
      decisions,
      onDecision(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    })
  } catch (thrown) {
    return { state: 'failed', failure: toFailure(thrown) }
  } finally {
    stopWatching()
  }
}

/** Opens the log of a run. The execution before it, if any, can no longer write to it. */
function openLog(
  { runId, rootRunId, parentRunId }: RunRequest,
  owner: string,
  store: PostgresStore,
): ReturnType<PostgresStore['openRun']> {
  return parentRunId === undefined
    ? store.open(runId, owner, { takeOver: true })
    : store.openRun({ rootRunId, runId }, owner, { takeOver: true })
}

/** Returns the stored events of a run and the runs below it; empty if the run has not started. */
async function readEvents(
  { runId, rootRunId, parentRunId }: RunRequest,
  store: Pick<PostgresStore, 'events' | 'steps'>,
): Promise<Awaited<ReturnType<TaskServices['readEvents']>>> {
  if (parentRunId === undefined) return store.events(rootRunId)
  // Most child runs are executed once. Reading the events of the whole tree for each would take too long.
  if (!(await store.steps(rootRunId, runId)).has('begin')) return []
  const events = await store.events(rootRunId)
  const below = new Set([runId])
  return events.filter((event) => {
    if (event.parentRunId !== undefined && below.has(event.parentRunId)) below.add(event.runId)
    return below.has(event.runId)
  })
}
