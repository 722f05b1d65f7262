import type { Failure, StopSource, ToolContext } from '@troupe/schema'
import { stopFailure } from './call-failure.ts'

/** What stops a call. The signal of its context is only made where the context has nothing that costs less. */
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
