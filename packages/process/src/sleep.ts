import type { Clock } from '@troupe/schema'

/** Resolves after `ms` milliseconds of `clock`. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve)
  })
}
