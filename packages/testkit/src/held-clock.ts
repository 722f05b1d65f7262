import type { Clock } from '@troupe/schema'
import { SYSTEM_CLOCK } from './teams/system-clock.ts'

/** The clock of the machine, except for the timers of one duration. */
export interface HeldClock {
  readonly clock: Clock
  /** Fires the timers of that duration that are running now. */
  expire(): void
}

/**
 * Creates a clock whose timers of exactly `ms` fire when the test calls `expire`, and never by themselves: for programs and
 * sockets that need real time, with a timeout that must not depend on how busy the machine is.
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
