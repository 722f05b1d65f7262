import type { Clock } from '@troupe/schema'

/** The clock of the machine. Timers keep the process alive until they fire or are cancelled. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms: number, fn: () => void) => {
    const timer = setTimeout(fn, Math.min(ms, MAX_TIMER_MS))
    return () => clearTimeout(timer)
  },
})

/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2_147_483_647
