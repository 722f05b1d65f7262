import type { Failure, StopSource, ToolContext } from '@troupe/schema'
import { stopFailure } from './call-failure.ts'

/**
 * Returns the cancellation of a call. Reads `ctx.signal` only if the context has no `stop`, because it is
 * created on access.
 */
export function callStop(ctx: ToolContext): StopSource {
  return ctx.stop ?? signalStop(ctx.signal)
}

function signalStop(signal: AbortSignal): StopSource {
  return {
    get reason() {
      return signal.aborted ? stopFailure(signal.reason) : undefined
    },
    onStop(fn: (reason: Failure) => void) {
      const onAbort = (): void => fn(stopFailure(signal.reason))
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
      return () => signal.removeEventListener('abort', onAbort)
    },
  }
}
