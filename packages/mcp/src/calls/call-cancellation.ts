import type { Failure, CancellationToken, ToolContext } from '@troupe/schema'
import { abortFailure } from './call-failure.ts'

/**
 * Returns the cancellation of a call. Reads `ctx.signal` only if the context has no `stop`, because it is
 * created on access.
 */
export function callCancellation(ctx: ToolContext): CancellationToken {
  return ctx.stop ?? signalStop(ctx.signal)
}

function signalStop(signal: AbortSignal): CancellationToken {
  return {
    get reason() {
      return signal.aborted ? abortFailure(signal.reason) : undefined
    },
    onCancel(fn: (reason: Failure) => void) {
      const onAbort = (): void => fn(abortFailure(signal.reason))
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
      return () => signal.removeEventListener('abort', onAbort)
    },
  }
}
