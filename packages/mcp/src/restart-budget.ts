import type { Clock } from '@troupe/schema'

/** Counts restarts so that a server that keeps dying is not started for ever. */
export interface RestartBudget {
  /** True, and one fewer left, when another restart is allowed now. */
  spend(): boolean
}

/** Allows `most` restarts in any stretch of `window` ms. */
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
      if (spent.length >= options.most) return false
      spent = [...spent, now]
      return true
    },
  }
}
