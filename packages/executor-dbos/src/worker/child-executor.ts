import { storedResult } from '@troupe/core'
import { redactValues } from '@troupe/env'
import { failure, NO_USAGE, type Failure, type Usage } from '@troupe/schema'
import {
  eventEnvelope,
  refusedRun,
  type RunControl,
  type RunExecutor,
  type RunRequest,
  type RunResult,
  type RunTreeContext,
} from '@troupe/schema/ports'
import type { PostgresStore } from '@troupe/store-postgres'
import { accountsOf } from '@troupe/timeline'
import { retryWhileAway } from '../tasks/retry-while-away.ts'
import type { TaskChanges } from '../tasks/task-changes.ts'
import type { TaskStatus, TaskTable } from '../tasks/task-table.ts'

/** Dependencies of the executor of child runs. */
export interface ChildExecutorParts {
  readonly tasks: TaskTable
  readonly changes: TaskChanges
  readonly store: Pick<PostgresStore, 'steps'>
  /** Request of the run that starts the children. */
  readonly parent: RunRequest
}

/**
 * Creates an executor that queues the children of one run for the workers, in the order of the calls, and
 * waits for their results.
 */
export function createChildExecutor(parts: ChildExecutorParts): RunExecutor {
  const { tasks } = parts
  const add = createBatcher((requests: readonly RunRequest[]) => tasks.addChildren(requests))
  const cancel = createBatcher(async (runIds: readonly string[]) => {
    const state = await tasks.cancel(runIds)
    return runIds.map(() => state)
  })
  return {
    start: async (request, root, control) => {
      const seal = root.redactor?.seal
      const sealed = seal === undefined ? request : redactValues(request, seal)
      const added = await retryWhileAway(() => add(sealed), {
        clock: root.clock,
        isStopped: () => control.signal.aborted,
      })
      if (added === 'runs_exceeded') return refusedRun(request, runsExceeded(root.maxRuns))
      return waitForChild(request, { root, control }, { ...parts, cancel })
    },
  }
}

function runsExceeded(maxRuns: number): Failure {
  return failure('runs_exceeded', `The run tree has reached its limit of ${maxRuns} runs (limits.maxRuns).`)
}

/** Maximum number of runs in one transaction. */
const BATCH = 100

/**
 * Returns a function that works on items in the order of its calls. Those that arrive during a transaction share
 * the next one. `work` returns a result for each item.
 */
function createBatcher<Item, Result>(
  work: (batch: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const waiting: { readonly item: Item; readonly result: PromiseWithResolvers<Result> }[] = []
  let isWorking = false

  async function workOff(): Promise<void> {
    isWorking = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH)
      try {
        const results = await work(batch.map(({ item }) => item))
        for (const [index, { result }] of batch.entries()) result.resolve(results[index] as Result)
      } catch (thrown) {
        for (const { result } of batch) result.reject(thrown)
      }
    }
    isWorking = false
  }

  return (item) => {
    const result = Promise.withResolvers<Result>()
    waiting.push({ item, result })
    if (!isWorking) setImmediate(() => isWorking || void workOff())
    return result.promise
  }
}

interface WaitingParent {
  readonly root: RunTreeContext
  readonly control: RunControl
}

/**
 * Waits until a child run has ended. While it is suspended, its parent waits for the same decisions, and may be
 * suspended itself. If the parent is cancelled, so is the child.
 */
async function waitForChild(
  request: RunRequest,
  { root, control }: WaitingParent,
  {
    changes,
    store,
    parent,
    cancel,
  }: ChildExecutorParts & { readonly cancel: (runId: string) => Promise<unknown> },
): Promise<RunResult> {
  const { runId, rootRunId } = request
  const result = Promise.withResolvers<RunResult>()
  const activity = trackChild(parent, { root, control })
  let isSettled = false
  const readResult = async (status: TaskStatus | undefined): Promise<RunResult> => {
    if (status?.isStarted === false) return refusedRun(request, status.failure ?? NOT_STARTED)
    const steps = await retryWhileAway(async () => store.steps(rootRunId, runId), {
      clock: root.clock,
      isStopped: () => isSettled,
    })
    return storedResult(steps, { request, ...root }) ?? refusedRun(request, status?.failure ?? NOT_STARTED)
  }
  const stopWatching = changes.watch(runId, {
    onStatus(status) {
      activity.update(status)
      if (status === undefined || status.state === 'ended')
        readResult(status).then(result.resolve, result.reject)
    },
  })
  const cancelChild = (): Promise<unknown> =>
    retryWhileAway(() => cancel(runId), { clock: root.clock, isStopped: () => isSettled })
  const onAbort = (): void => {
    const reason = control.signal.reason as Failure
    // A parent that is suspended or interrupted continues later, and finds the child again.
    if (RESUMABLE.has(reason.code)) result.resolve(refusedRun(request, reason))
    else cancelChild().catch(result.reject)
  }
  control.signal.addEventListener('abort', onAbort, { once: true })
  if (control.signal.aborted) onAbort()
  try {
    const ended = await result.promise
    if (ended.failure === undefined || !RESUMABLE.has(ended.failure.code))
      addToAccount(ended, { root, control })
    return ended
  } finally {
    isSettled = true
    stopWatching()
    control.signal.removeEventListener('abort', onAbort)
    activity.end()
  }
}

const RESUMABLE: ReadonlySet<string> = new Set(['run_waiting', 'run_interrupted'])

/**
 * Reports to the approval gate of the parent whether a child is active, or which decisions it waits for, and
 * pauses the time limit of the child while it is queued.
 */
function trackChild(
  parent: RunRequest,
  { root: { approvalGate, log, clock }, control }: WaitingParent,
): { update(status: TaskStatus | undefined): void; end(): void } {
  let endQueue = control.pauseWhileQueued?.()
  let endWork = approvalGate?.startWork()
  let waits: AbortController | undefined
  const endWait = (): void => {
    waits?.abort()
    waits = undefined
  }

  /** Appends that the parent is suspended, too. */
  function announce(approvalId: string): void {
    const origin = { ...parent, agent: parent.agent.name, depth: parent.ancestry.length }
    log.append({
      runId: parent.runId,
      event: { ...eventEnvelope(origin, 'run-waiting', clock.now()), approvalId },
    })
  }

  return {
    update(status) {
      if (status?.state !== 'queued') {
        endQueue?.()
        endQueue = undefined
      } else endQueue ??= control.pauseWhileQueued?.()
      if (approvalGate === undefined) return
      if (status?.state !== 'waiting') {
        endWork ??= approvalGate.startWork()
        endWait()
        return
      }
      if (waits !== undefined) return
      waits = new AbortController()
      for (const approvalId of status.waitsFor)
        void approvalGate.waitForDecision({ approvalId, announce: () => announce(approvalId) }, waits.signal)
      endWork?.()
      endWork = undefined
    },
    end() {
      endQueue?.()
      endWork?.()
      endWait()
    },
  }
}

const NOT_STARTED = failure('run_cancelled', 'The run was cancelled before a worker started it.')

/** Adds usage and problems of a child to the account of its parent, without those that a resume restored. */
function addToAccount(result: RunResult, { root, control: { account } }: WaitingParent): void {
  const past = root.resumeState?.eventsBelow(result.runId) ?? []
  const restored = new Map(accountsOf(past).byAgent.map(({ agent, usage }) => [agent, usage]))
  for (const [agent, usage] of Object.entries(result.byAgent)) {
    const added = subtract(usage, restored.get(agent) ?? NO_USAGE)
    if (Object.values(added).some((count) => count > 0)) account.add(agent, added)
  }
  for (const model of result.unpriced) account.add(result.agent, NO_USAGE, model)
  const known = new Set(past.map((event) => event.runId))
  for (const problem of result.problems) if (!known.has(problem.runId)) account.addProblem(problem)
}

function subtract(total: Usage, part: Usage): Usage {
  const keys = Object.keys(total) as (keyof Usage)[]
  return Object.fromEntries(keys.map((key) => [key, total[key] - part[key]])) as unknown as Usage
}
