import { TroupeError, troupeError } from '@troupe/schema'
import { abortFailure } from '../abort/abort-signals.ts'

const MAX_WAITING_CALLS = 10_000

/** Limits the number of concurrent calls; further calls wait in order. */
export interface CallLimiter {
  /**
   * Returns a function that releases the permit. Rejects with the abort reason if the call is cancelled, and
   * with `mcp_failed` if too many calls are waiting.
   */
  acquire(signal: AbortSignal): Promise<() => void>
}

/** Creates a limiter for `size` concurrent calls. */
export function createCallLimiter(server: string, size: number): CallLimiter {
  const waiting = new Set<() => void>()
  let free = size

  function releasePermit(): void {
    const [next] = waiting
    if (next === undefined) free += 1
    else {
      waiting.delete(next)
      next()
    }
  }

  /** Creates a permit; releasing it more than once has no effect. */
  function createPermit(): () => void {
    let isHeld = true
    return () => {
      if (isHeld) releasePermit()
      isHeld = false
    }
  }

  function wait(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiting.delete(take)
        reject(new TroupeError(abortFailure(signal.reason)))
      }
      const take = (): void => {
        signal.removeEventListener('abort', onAbort)
        resolve(createPermit())
      }
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.add(take)
    })
  }

  return {
    async acquire(signal) {
      if (signal.aborted) throw new TroupeError(abortFailure(signal.reason))
      if (waiting.size >= MAX_WAITING_CALLS)
        throw troupeError(
          'mcp_failed',
          `More than ${MAX_WAITING_CALLS} calls are waiting for the MCP server "${server}".`,
        )
      if (free === 0) return wait(signal)
      free -= 1
      return createPermit()
    },
  }
}
