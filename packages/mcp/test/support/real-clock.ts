import type { Clock } from '@troupe/schema'

/** The system clock, because the servers of these tests are real processes. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}
