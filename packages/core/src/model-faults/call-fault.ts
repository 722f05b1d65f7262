import { APICallError } from '@ai-sdk/provider'
import { failure, type Failure, type ModelHandle } from '@troupe/schema'
import { classifyModelError, type FailedAnswer, type ModelFault } from './classify-model-error.ts'
import { isUnconnected } from './network-error.ts'
import type { Run } from '../session/run.ts'
import type { Stop } from '../time/stop.ts'

/** What a provider threw, or sent as the error of its stream. */
export function thrownFault(run: Run, handle: ModelHandle, thrown: unknown): ModelFault {
  return classifyModelError(thrown, { handle, now: run.root.clock.now() })
}

/** Why the call ended early: the run's own reason, else the timer of the call. A timer is worth another attempt, a stopped run is not. */
export function stoppedFault(run: Run, stop: Stop): ModelFault {
  const reason = run.stop.reason ?? stop.reason ?? cancelled()
  return { failure: reason, retryable: reason.code === 'model_timeout' }
}

/** The run was stopped before the call went out. */
export function unsent(run: Run): FailedAnswer {
  return { failure: run.stop.reason ?? cancelled(), retryable: false, isFree: true, isUnsent: true }
}

/** True for an answer with an error status, and where no connection came about: nothing was generated. */
export function isRefusal(thrown: unknown): boolean {
  return (APICallError.isInstance(thrown) && (thrown.statusCode ?? 0) >= 400) || isUnconnected(thrown)
}

function cancelled(): Failure {
  return failure('run_cancelled', 'The run was stopped.')
}
