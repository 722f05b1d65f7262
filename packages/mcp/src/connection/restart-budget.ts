import type { Clock } from '@troupe/schema'

const FIRST_WAIT = 100
const GROWTH = 4

/** Counts restarts so that a server that keeps dying is not started for ever, nor at once. */
export interface RestartBudget {
  /** One restart fewer left. The answer is how long to wait before it, in ms; undefined: none is allowed now. */
  spend(): number | undefined
}

/** Allows `most` restarts in any stretch of `window` ms: the first after a tenth of a second, each further one after four times as long. */
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
