import { TroupeError, troupeError, type StopSource } from '@troupe/schema'

const MOST_WAITING = 10_000

/** Limits the number of concurrent calls; further calls wait in order. */
export interface CallLane {
  /**
   * Returns a function that releases the permit, as a promise if the call has to wait. Rejects with the
   * reason if the call is cancelled; throws if too many calls are waiting.
   */
  enter(stop: StopSource): (() => void) | Promise<() => void>
}

/** Creates a limiter for `size` concurrent calls. */
export function createCallLane(server: string, size: number): CallLane {
  const waiting = new Set<() => void>()
  let free = size

  function leave(): void {
    const [next] = waiting
    if (next === undefined) free += 1
    else {
      waiting.delete(next)
      next()
    }
  }

  /** Creates a permit; releasing it more than once has no effect. */
  function place(): () => void {
    let isHeld = true
    return () => {
      if (isHeld) leave()
      isHeld = false
    }
  }

  function wait(stop: StopSource): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const off = stop.onStop((reason) => {
        waiting.delete(take)
        reject(new TroupeError(reason))
      })
      const take = (): void => {
        off()
        resolve(place())
      }
      waiting.add(take)
    })
  }

  return {
    enter(stop) {
      if (stop.reason !== undefined) return Promise.reject(new TroupeError(stop.reason))
      if (waiting.size >= MOST_WAITING)
        throw troupeError(
          'mcp_failed',
          `More than ${MOST_WAITING} calls wait for the MCP server "${server}".`,
        )
      if (free === 0) return wait(stop)
      free -= 1
      return place()
    },
  }
}
