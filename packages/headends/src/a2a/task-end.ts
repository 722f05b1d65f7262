import { TaskState, type Part } from '@a2a-js/sdk'
import type { Failure, RunReport } from '@troupe/schema'
import { isFailure } from '../is-failure.ts'
import { dataPart, failureParts, textPart } from './task-parts.ts'

/** The end of a task. */
export interface TaskEnd {
  readonly state: TaskState
  /** Parts of the final status message. */
  readonly parts?: readonly Part[]
  /** Parts of the whole answer. */
  readonly whole?: readonly Part[]
  /** Parts of the answer that were not sent yet. */
  readonly rest?: readonly Part[]
}

/**
 * Returns the end of a task. `missingOf` returns the text of the answer that was not sent yet. A run that
 * could not start is a rejected task.
 */
export function taskEnd(last: RunReport | Failure, missingOf: (report: RunReport) => string): TaskEnd {
  if (isFailure(last)) {
    const isStopped = last.code === 'run_cancelled'
    const state = isStopped ? TaskState.TASK_STATE_CANCELED : TaskState.TASK_STATE_REJECTED
    return { state, parts: failureParts(last) }
  }
  const { outcome, output, error } = last
  if (outcome === 'completed' || outcome === 'partial') {
    const isJson = output.value !== undefined
    const whole = isJson ? [dataPart(output.value)] : [textPart(output.text ?? '')]
    return {
      state: TaskState.TASK_STATE_COMPLETED,
      whole,
      rest: isJson ? whole : [textPart(missingOf(last))],
      ...(error === undefined ? {} : { parts: failureParts(error) }),
    }
  }
  const state = outcome === 'cancelled' ? TaskState.TASK_STATE_CANCELED : TaskState.TASK_STATE_FAILED
  return { state, ...(error === undefined ? {} : { parts: failureParts(error) }) }
}
