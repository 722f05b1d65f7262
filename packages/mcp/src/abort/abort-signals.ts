import { failure, troupeError, TroupeError, type Clock, type Failure } from '@troupe/schema'

/**
 * Returns the result of `work`, but rejects as soon as the signal aborts. Does not cancel `work`, which
 * others may await.
 */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortError(signal.reason))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    const done = (): void => signal.removeEventListener('abort', onAbort)
    work.then(resolve, reject).finally(done)
  })
}

/** Returns the abort reason as an error: the failure in it, else `run_cancelled`. */
function abortError(reason: unknown): TroupeError {
  if (TroupeError.isInstance(reason)) return reason
  if (isFailure(reason)) return new TroupeError(reason, { cause: reason })
  return troupeError('run_cancelled', 'Waiting for the MCP server was cancelled.', { cause: reason })
}

/** Returns the failure that a call was cancelled with, or `undefined` if it was not cancelled. */
export function cancellationOf(signal: AbortSignal): Failure | undefined {
  return signal.aborted ? abortFailure(signal.reason) : undefined
}

/** Returns the failure of an abort reason. The core cancels calls with a failure as the reason. */
export function abortFailure(reason: unknown): Failure {
  if (TroupeError.isInstance(reason)) return reason.failure
  return isFailure(reason) ? reason : failure('run_cancelled', 'The call was stopped.')
}

function isFailure(value: unknown): value is Failure {
  return (
    typeof value === 'object' && value !== null && 'class' in value && 'code' in value && 'message' in value
  )
}

/**
 * Creates a signal that aborts with the caller's signal. Its reason is a plain string, because the reason is
 * sent to the server. `release` removes the listener.
 */
export function sendableSignal(signal: AbortSignal): { readonly signal: AbortSignal; release(): void } {
  const stop = new AbortController()
  const onAbort = (): void => stop.abort('the call was stopped')
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return { signal: stop.signal, release: () => signal.removeEventListener('abort', onAbort) }
}

/** Resolves when `work` settles or after `ms`, whichever is first. Never rejects. */
export async function settleWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  let cancel = (): void => undefined
  const timeUp = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  await Promise.race([work.catch(() => undefined), timeUp])
  cancel()
}
