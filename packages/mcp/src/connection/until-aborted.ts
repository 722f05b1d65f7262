import { troupeError, TroupeError, type Failure } from '@troupe/schema'

/** The work, or a rejection as soon as the signal aborts; the work itself goes on for others. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortError(signal.reason))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    const done = (): void => signal.removeEventListener('abort', onAbort)
    work.then(resolve, reject).finally(done)
  })
}

/** The error of a wait that was broken off: the reason where it is a failure, else `run_cancelled`. */
function abortError(reason: unknown): TroupeError {
  if (TroupeError.isInstance(reason)) return reason
  if (isFailure(reason)) return new TroupeError(reason, { cause: reason })
  return troupeError('run_cancelled', 'The wait for an MCP server was broken off.', { cause: reason })
}

/** True for a reason that core gives its signals. */
export function isFailure(value: unknown): value is Failure {
  return (
    typeof value === 'object' && value !== null && 'class' in value && 'code' in value && 'message' in value
  )
}
