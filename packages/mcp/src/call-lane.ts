import { troupeError } from '@troupe/schema'

const MOST_WAITING = 10_000

/** Lets so many calls through at once; the others wait in order. */
export interface CallLane {
  /**
   * What gives the place back: at once where one is free, else when it is this one's turn. Rejects with the reason of the signal; throws
   * when too many wait.
   */
  enter(signal: AbortSignal): (() => void) | Promise<() => void>
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

  function wait(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiting.delete(take)
        reject(signal.reason)
      }
      const take = (): void => {
        signal.removeEventListener('abort', onAbort)
        resolve(place())
      }
      waiting.add(take)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  return {
    enter(signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      if (waiting.size >= MOST_WAITING)
        throw troupeError(
          'mcp_failed',
          `More than ${MOST_WAITING} calls wait for the MCP server "${server}".`,
        )
      if (free === 0) return wait(signal)
      free -= 1
      return place()
    },
  }
}
