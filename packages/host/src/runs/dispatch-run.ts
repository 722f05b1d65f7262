import { toStoredRequest } from '@troupe/core'
import { redactValues } from '@troupe/env'
import {
  failure,
  troupeError,
  type Failure,
  type Json,
  type RunEvent,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import {
  QUEUED_STEP,
  type RunDispatcher,
  type RunRequest,
  type RunStore,
  type RunTask,
  type SettledTask,
} from '@troupe/schema/ports'
import {
  addAbortListener,
  executeRootRun,
  interruptedFailure,
  requirePositiveBudget,
  waitingFailure,
  type RootRun,
} from './execute-root-run.ts'
import { failedReport, reportBase } from './report.ts'
import type { RunHandle, RunsContext } from './runs-context.ts'
import { readStoredRun, storedReport } from './stored-run.ts'

/** Executes a root run with an open log: on workers if the host has some and the run is fully stored. */
export function runRoot(root: RootRun, handle: RunHandle, context: RunsContext): Promise<RunReport> {
  const { dispatcher, store } = context
  const { team, definition, log, recording, options } = root
  const isDispatchable =
    recording === undefined &&
    options.record === undefined &&
    log.isPersistent &&
    team.storeDetailOf(definition.name) === 'full'
  if (dispatcher === undefined || store === undefined || !isDispatchable)
    return executeRootRun(root, handle, context)
  if (options.spendingLimit !== undefined)
    throw troupeError('usage_invalid', 'Workers cannot enforce a spending limit of several runs together.', {
      fix: 'Remove `server.limits.spending`, or execute the runs in this process.',
    })
  if (options.tools !== undefined && options.tools.length > 0)
    throw troupeError('usage_invalid', 'Workers cannot call tools of the caller.', {
      fix: 'Remove `tools`, or execute the runs in this process.',
    })
  if (options.interceptor !== undefined)
    throw troupeError('usage_invalid', 'Workers cannot use an interceptor of the caller.', {
      fix: 'Remove `interceptor`, or execute the runs in this process.',
    })
  return dispatchRoot(root, { handle, dispatcher, store }, context)
}

interface Workers {
  readonly handle: RunHandle
  readonly dispatcher: RunDispatcher
  readonly store: RunStore
}

/**
 * Stores the request, releases the log to the workers, and waits for the end of the run. Rejects with
 * `usage_invalid` for an invalid budget.
 */
async function dispatchRoot(root: RootRun, workers: Workers, context: RunsContext): Promise<RunReport> {
  const { log } = root
  const { runId } = root.request
  const task = toTask(root)
  try {
    requirePositiveBudget(root.options.budget)
    const steps = await log.steps(runId)
    if (!steps.has('begin') && !steps.has(QUEUED_STEP))
      log.append({ runId, step: { key: QUEUED_STEP, value: task.request as unknown as Json } })
    await log.waitForCommit()
  } finally {
    await log.close()
  }
  await workers.dispatcher.submit(task)
  return followRoot(root, workers, context)
}

/**
 * Resumes a root run that workers execute: follows it until it ends or is suspended. Returns `undefined` if
 * this host has no workers, or they do not know the run.
 */
export async function resumeOnWorkers(
  root: Omit<RootRun, 'log'>,
  handle: RunHandle,
  context: RunsContext,
): Promise<RunReport | undefined> {
  const { dispatcher, store } = context
  if (dispatcher === undefined || store === undefined) return undefined
  if ((await dispatcher.find(root.request.runId)) === undefined) return undefined
  return followRoot(root, { handle, dispatcher, store }, context)
}

/** Creates the task of a root run. */
function toTask({ request, definition, options, team }: RootRun): RunTask {
  const { maxRuns, maxDepth } = definition.limits
  const { budget, timeout, wait, approve, headless = request.headless } = options
  const task: RunTask = {
    request: toStoredRequest(request) as unknown as RunRequest,
    tree: {
      maxRuns,
      maxDepth,
      ...(headless === true ? { headless: true as const } : {}),
      // A person who is asked in this process decides like one who is asked later.
      ...(wait === true || approve !== undefined ? { waits: true as const } : {}),
      ...(budget === undefined ? {} : { budget }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(request.priority === undefined ? {} : { priority: request.priority }),
      ...(request.team === undefined ? {} : { team: request.team }),
    },
  }
  return team.redactor === undefined ? task : redactValues(task, team.redactor.seal)
}

/**
 * Passes on the events of a run until it ends or is suspended. A caller that cancels it cancels all
 * its runs; one that interrupts it only stops following.
 */
async function followRoot(
  root: Omit<RootRun, 'log'>,
  { handle, dispatcher, store }: Workers,
  context: RunsContext,
): Promise<RunReport> {
  const { options, definition, team } = root
  const { runId, sessionId } = root.request
  const leave = new AbortController()
  let isWithdrawn = false
  let interruption: Failure | undefined
  let cancelling: Promise<void> | undefined
  let lastSeq = 0
  const deliver = (event: RunEvent): void => {
    const { seq = Infinity } = event
    if (seq <= lastSeq) return
    lastSeq = event.seq ?? lastSeq
    options.onEvent?.(event)
  }
  const cancel = (reason: unknown): void => {
    const { resumable = false } = options
    if (typeof resumable === 'function' ? resumable(reason) : resumable) {
      interruption = interruptedFailure(runId, reason)
      leave.abort()
      return
    }
    cancelling = dispatcher.cancel(runId).then((end) => {
      isWithdrawn = end === 'withdrawn'
    })
    // The error is thrown where the cancellation is awaited.
    cancelling.catch(() => undefined)
  }
  const waitUntilSettled = async (): Promise<SettledTask | 'withdrawn' | undefined> => {
    await cancelling
    const settled = isWithdrawn ? undefined : await dispatcher.waitUntilSettled(runId, leave.signal)
    // The run may have been cancelled meanwhile.
    await cancelling
    if (isWithdrawn) return 'withdrawn'
    // A suspended run that is cancelled continues, to write its end.
    return cancelling !== undefined && settled?.state === 'waiting' ? waitUntilSettled() : settled
  }
  const unfollow =
    options.onEvent === undefined
      ? undefined
      : dispatcher.follow(runId, { after: 0, ...demandOf(options) }, deliver)
  const unlink = addAbortListener(options.signal, cancel)
  // The host is closing: the workers continue without it.
  const stopListening = handle.stop.onCancel((reason) => {
    interruption = interruptedFailure(runId, reason)
    leave.abort()
  })
  try {
    const settled = await waitUntilSettled()
    if (settled === 'withdrawn') return await endUnstarted(root, { handle, store }, context)
    const base = { ...reportBase(definition, options), runId, sessionId }
    if (settled === undefined) return failedReport(interruption ?? UNKNOWN, base)
    const stored = await readStoredRun(store, runId, team.redactor)
    unfollow?.()
    for (const event of stored.events) deliver(event)
    if (settled.state === 'waiting') return failedReport(waitingFailure(runId, settled.approvalIds), base)
    return stored.end === undefined
      ? failedReport(settled.failure ?? UNKNOWN, base)
      : storedReport(stored, stored.end)
  } finally {
    unfollow?.()
    unlink()
    stopListening()
  }
}

/** Returns the part of a range that requests transient events. */
function demandOf({ deltas = true }: Pick<RunOptions, 'deltas'>): {
  readonly wantsTransient?: () => boolean
} {
  if (deltas === false) return {}
  return { wantsTransient: deltas === true ? () => true : deltas }
}

const UNKNOWN = failure('internal', 'The workers no longer know the run.', 'Resume it.')

/** Writes the start and the end of a run that was cancelled before a worker had started it. */
async function endUnstarted(
  root: Omit<RootRun, 'log'>,
  { handle, store }: Pick<Workers, 'handle' | 'store'>,
  context: RunsContext,
): Promise<RunReport> {
  const log = await store.open(root.request.runId, context.owner)
  return executeRootRun({ ...root, log }, handle, context)
}
