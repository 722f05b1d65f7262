import type { Clock } from '@troupe/schema'

/** The time of the machine: the servers of these tests are real processes. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}
