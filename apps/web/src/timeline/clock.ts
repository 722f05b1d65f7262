import { serverLink } from '../api/server-link.ts'

/** The present moment of a timeline: now, or the moment of a replay. */
export interface TimelineClock {
  /** Returns the moment in ms since 1970. */
  now(): number
  /** Calls `onTick` when the moment has changed. Returns a function that removes it. */
  subscribe(onTick: () => void): () => void
}

const TICK_MS = 100

/** The time of the browser. It stands still while the server is lost, because runs may have ended. */
export const liveClock: TimelineClock = createLiveClock()

function createLiveClock(): TimelineClock {
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | undefined
  let last = Date.now()
  const now = (): number => {
    if (!serverLink.getState().isLost) last = Date.now()
    return last
  }
  const tick = (): void => {
    if (serverLink.getState().isLost || document.hidden) return
    for (const listener of listeners) listener()
  }
  return {
    now,
    subscribe(onTick) {
      listeners.add(onTick)
      timer ??= setInterval(tick, TICK_MS)
      return () => {
        listeners.delete(onTick)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}

/** The clock of a replay, which stands still until it is set. */
export interface ReplayClock extends TimelineClock {
  set(at: number): void
}

/** Creates a clock that shows this moment. */
export function createReplayClock(at: number): ReplayClock {
  const listeners = new Set<() => void>()
  let moment = at
  return {
    now: () => moment,
    subscribe(onTick) {
      listeners.add(onTick)
      return () => listeners.delete(onTick)
    },
    set(next) {
      if (next === moment) return
      moment = next
      for (const listener of listeners) listener()
    },
  }
}
