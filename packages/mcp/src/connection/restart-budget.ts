import type { Clock } from '@troupe/schema'

const FIRST_WAIT = 100
const GROWTH = 4

/** Limits how often and how fast a crashing server is restarted. */
export interface RestartBudget {
  /** Uses one restart. Returns the delay before it in ms, or `undefined` if no restart is allowed now. */
  spend(): number | undefined
}

/**
 * Allows `most` restarts in any period of `window` ms. The delay starts at 100 ms and quadruples with each
 * restart.
 */
export function createRestartBudget(options: {
  readonly clock: Clock
  readonly most: number
  readonly window: number
}): RestartBudget {
  let spent: readonly number[] = []
  return {
    spend() {
      const now = options.clock.monotonic()
      spent = spent.filter((time) => now - time < options.window)
      if (spent.length >= options.most) return undefined
      const wait = FIRST_WAIT * GROWTH ** spent.length
      spent = [...spent, now]
      return wait
    },
  }
}
