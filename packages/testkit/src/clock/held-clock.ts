import type { Clock } from '@troupe/schema'

/** The system clock with manual control over timers of one duration. */
export interface HeldClock {
  readonly clock: Clock
  /** Fires the pending timers of that duration. */
  expire(): void
}

/**
 * Creates a clock whose timers of exactly `ms` fire only when the test calls `expire`. For programs and
 * sockets that need real time, with a timeout that must not depend on the load of the machine.
 */
export function heldClock(ms: number): HeldClock {
  const held = new Set<() => void>()
  return {
    clock: {
      ...SYSTEM_CLOCK,
      after(delay, fn) {
        if (delay !== ms) return SYSTEM_CLOCK.after(delay, fn)
        const fire = (): void => fn()
        held.add(fire)
        return () => held.delete(fire)
      },
    },
    expire() {
      const due = [...held]
      held.clear()
      for (const fire of due) fire()
    },
  }
}

/** The system clock, needed for real sockets. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}
