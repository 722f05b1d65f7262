import type { Clock } from '@troupe/schema'

/** The system clock. Timers keep the process alive until they fire or are cancelled. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms: number, fn: () => void) => {
    const timer = setTimeout(fn, Math.min(ms, MAX_TIMER_MS))
    return () => clearTimeout(timer)
  },
})

/** Maximum delay of a timer. A longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647
