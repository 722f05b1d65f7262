import { TaskState, type Part } from '@a2a-js/sdk'
import type { Failure, RunReport } from '@troupe/schema'
import { isFailure } from '../is-failure.ts'
import { dataPart, failureParts, textPart } from './task-parts.ts'

/** The end of a task. */
export interface TaskEnd {
  readonly state: TaskState
  /** What is said with it. */
  readonly parts?: readonly Part[]
  /** The whole answer. */
  readonly whole?: readonly Part[]
  /** What of the answer was not told yet. */
  readonly rest?: readonly Part[]
}

/** How a task ends; `missingOf` gives what of the text of an answer was not told. A run that could not begin is a rejected task. */
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
