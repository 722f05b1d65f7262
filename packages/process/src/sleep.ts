import type { Clock } from '@troupe/schema'

/** Resolves after `ms` of the given clock. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve)
  })
}
