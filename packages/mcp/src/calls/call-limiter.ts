import { TroupeError, troupeError, type CancellationToken } from '@troupe/schema'

const MAX_WAITING_CALLS = 10_000

/** Limits the number of concurrent calls; further calls wait in order. */
export interface CallLimiter {
  /**
   * Returns a function that releases the permit, as a promise if the call has to wait. Rejects with the
   * reason if the call is cancelled; throws if too many calls are waiting.
   */
  acquire(stop: CancellationToken): (() => void) | Promise<() => void>
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

  function wait(stop: CancellationToken): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const off = stop.onCancel((reason) => {
        waiting.delete(take)
        reject(new TroupeError(reason))
      })
      const take = (): void => {
        off()
        resolve(createPermit())
      }
      waiting.add(take)
    })
  }

  return {
    acquire(stop) {
      if (stop.reason !== undefined) return Promise.reject(new TroupeError(stop.reason))
      if (waiting.size >= MAX_WAITING_CALLS)
        throw troupeError(
          'mcp_failed',
          `More than ${MAX_WAITING_CALLS} calls wait for the MCP server "${server}".`,
        )
      if (free === 0) return wait(stop)
      free -= 1
      return createPermit()
    },
  }
}
