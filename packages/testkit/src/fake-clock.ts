import type { Clock } from '@troupe/schema'
import { settle } from './settle.ts'

/** A clock that stands still until it is told to go on. */
export interface FakeClock extends Clock {
  /** Goes `ms` ahead: fires what falls due, in order of time and then of registration, and lets the event loop turn before and after each. */
  advance(ms: number): Promise<void>
  /** Timers that have neither fired nor been cancelled. */
  pending(): number
}

interface Timer {
  readonly at: number
  readonly fire: () => void
}

/** A clock for tests. `start` is the wall time in ms; monotonic time starts at 0. */
export function fakeClock(start = 0): FakeClock {
  let now = start
  const timers = new Set<Timer>()

  function nextDue(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of timers)
      if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer
    return next
  }

  return {
    now: () => now,
    monotonic: () => now - start,
    after(ms, fn) {
      const timer = { at: now + Math.max(0, ms), fire: fn }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    pending: () => timers.size,
    async advance(ms) {
      const until = now + ms
      await settle()
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        timers.delete(timer)
        now = timer.at
        timer.fire()
        await settle()
      }
      now = until
    },
  }
}
