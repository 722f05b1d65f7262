import type { MaybePromise } from '@troupe/schema'

/** Goes on with a value: at once where it is known. What waits is multiplied by all that wait, so nothing waits for what is there. */
export function whenKnown<T, U>(value: MaybePromise<T>, use: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(use) : use(value)
}
