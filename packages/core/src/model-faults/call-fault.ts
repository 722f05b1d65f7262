import { APICallError } from '@ai-sdk/provider'
import { failure, type Failure, type ModelHandle } from '@troupe/schema'
import { classifyModelError, type FailedAnswer, type ModelFault } from './classify-model-error.ts'
import { isUnconnected } from './network-error.ts'
import type { Run } from '../session/run.ts'
import type { Cancellation } from '../time/cancellation.ts'

/** Classifies an error that a provider threw or sent in its stream. */
export function thrownFault(run: Run, handle: ModelHandle, thrown: unknown): ModelFault {
  return classifyModelError(thrown, { handle, now: run.root.clock.now() })
}

/** Returns the fault of a cancelled call. Only a timeout of the call itself is retryable. */
export function stoppedFault(run: Run, stop: Cancellation): ModelFault {
  const reason = run.cancellation.reason ?? stop.reason ?? cancelledFailure()
  return { failure: reason, retryable: reason.code === 'model_timeout' }
}

/** Creates the failed answer of a call that was not sent, because the run was cancelled. */
export function unsentAnswer(run: Run): FailedAnswer {
  return {
    failure: run.cancellation.reason ?? cancelledFailure(),
    retryable: false,
    isFree: true,
    isUnsent: true,
  }
}

/** Returns true if nothing was generated, because of an error status or a missing connection. */
export function isRefusal(thrown: unknown): boolean {
  return (APICallError.isInstance(thrown) && (thrown.statusCode ?? 0) >= 400) || isUnconnected(thrown)
}

function cancelledFailure(): Failure {
  return failure('run_cancelled', 'The run was stopped.')
}
