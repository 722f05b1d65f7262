import type { Clock } from '@troupe/schema'

/** How long a child that was told to stop may take to end before it is abandoned, in ms; for each level of agents below. */
export const GRACE_MS = 500

/** How long the last hook or what is given back may hold up a run that was told to stop, in ms. Two of them fit into the grace. */
export const LAST_WORK_MS = 200

/** How long a root that ended by itself waits for what it gives back, in ms. */
export const RELEASE_MS = 10_000

/** Settles with the promise, or with undefined after `ms`. What the promise does afterwards goes to nobody. */
export function within<T>(promise: PromiseLike<T>, ms: number, clock: Clock): Promise<T | undefined> {
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
