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

/** Time in ms that a cancelled child may take to end before it is abandoned, per level of agents below. */
export const GRACE_MS = 500

/** Maximum time in ms for the last hook or for releasing resources, after a cancellation. */
export const CLEANUP_MS = 200

/** Maximum time in ms for which a completed root run waits for the release of its resources. */
export const RELEASE_MS = 10_000

/** Settles with the promise, or resolves with `undefined` after `ms` and ignores the promise. */
export function withTimeout<T>(promise: PromiseLike<T>, ms: number, clock: Clock): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve(undefined))
    promise.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (error: unknown) => {
        cancel()
        reject(error)
      },
    )
  })
}
