import { TroupeError, troupeError, type StopSource } from '@troupe/schema'

const MOST_WAITING = 10_000

/** Lets so many calls through at once; the others wait in order. */
export interface CallLane {
  /**
   * What gives the place back: at once where one is free, else when it is this one's turn. Rejects with the reason of the stop; throws
   * when too many wait.
   */
  enter(stop: StopSource): (() => void) | Promise<() => void>
}

/** A lane with `size` free places. */
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

  /** Gives a place back once, however often it is called. */
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
