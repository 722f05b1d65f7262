import {
  readWaitingAnswer,
  toCallResult,
  waitingForms,
  type CallTask,
  type TaskSource,
} from '@troupe/meta-mcp'
import { toFailure, type Failure, type RunReport } from '@troupe/schema'
import { isFailure } from '../headend/errors.ts'
import type { RunService } from '../run-service/run-service.ts'
import type { StartRunRequest } from '../run-service/start-run.ts'
import type { RunView } from '../run-service/run-view.ts'

/** The part of a run service that tasks need. */
export type TaskRuns = Pick<RunService, 'start' | 'view' | 'readState' | 'request' | 'stop' | 'decide'>

/** Member of the note of a run that marks it as a task. */
const NOTE = 'mcpTask'

/** A run to start as a task. */
interface TaskRun extends Omit<StartRunRequest, 'options'> {
  readonly options: StartRunRequest['options'] & { readonly runId: string }
}

/**
 * Starts a run that no connection owns, as a task. Returns the report of a run that ended before it was stored, or
 * the failure of one that was refused.
 */
export async function startRunTask(
  run: TaskRun,
  runs: TaskRuns,
  now: () => number,
): Promise<CallTask | RunReport | Failure> {
  const { runId } = run.options
  const note = { ...run.options.note, [NOTE]: true }
  try {
    const started = await runs.start({ ...run, options: { ...run.options, note } })
    if ('outcome' in started) return started
    const time = now()
    return { taskId: runId, createdAt: time, updatedAt: time, state: { status: 'working' } }
  } catch (thrown) {
    return toFailure(thrown)
  }
}

/** Returns the tasks of a principal: its stored runs that were started as tasks. */
export function createRunTasks(runs: TaskRuns, principal: string): TaskSource {
  /** Calls `use` with the task, unless the run does not exist or is no task of the principal. */
  async function withTask<const T>(taskId: string, use: () => Promise<T>): Promise<T | undefined> {
    try {
      const request = await runs.request(taskId, principal)
      if (request?.note?.[NOTE] !== true) return undefined
      return await use()
    } catch (thrown) {
      if (toFailure(thrown).code === 'run_unknown') return undefined
      throw thrown
    }
  }
  return {
    get: (taskId) =>
      withTask(taskId, async () => {
        const { changedAt } = await runs.readState(taskId, principal)
        const run = await runs.view(taskId, principal)
        const { startedAt: createdAt } = run
        return { taskId, createdAt, updatedAt: Math.max(createdAt, changedAt ?? 0), state: toTaskState(run) }
      }),
    update: (taskId, answers) =>
      withTask(taskId, async () => {
        const { approvals } = await runs.view(taskId, principal)
        for (const call of approvals) {
          const said = answers.get(call.approvalId)
          const decision = said && readWaitingAnswer(call, said)
          if (decision !== undefined)
            await runs.decide({ runId: taskId, approvalId: call.approvalId, decision }, principal)
        }
        return true as const
      }),
    cancel: (taskId) =>
      withTask(taskId, async () => {
        await runs.stop(taskId, principal)
        return true as const
      }),
  }
}

/** Converts the state of a run. A run that has failed is a completed task whose result is the failure. */
function toTaskState(run: RunView): CallTask['state'] {
  const { state, approvals } = run
  switch (state) {
    case 'queued':
    case 'running':
    case 'interrupted':
    case 'waiting':
      return approvals.length === 0
        ? { status: 'working' }
        : { status: 'input_required', inputRequests: waitingForms(approvals) }
    case 'cancelled':
      return { status: 'cancelled' }
    case 'damaged':
      return { status: 'failed', message: 'The stored events of the run are damaged.' }
    default:
      return { status: 'completed', result: toResult({ ...run, state }) }
  }
}

function toResult(run: RunView & { readonly state: RunReport['outcome'] }): ReturnType<typeof toCallResult> {
  const { runId, agent, sessionId, state: outcome, output = { format: 'text' }, error } = run
  const report = { runId, outcome, output, ...(error === undefined ? {} : { error }) }
  return toCallResult(report, { agent, contextId: sessionId, output: { format: output.format } })
}

/** Returns true for a started task. */
export function isCallTask(value: CallTask | RunReport | Failure): value is CallTask {
  return !isFailure(value) && 'taskId' in value
}
