import type { Clock } from '@troupe/schema'

/** Longest time in ms that a program waits for a collector. */
export const MAX_WAIT_MS = 1000

/** Waits for a promise. Returns false after {@link MAX_WAIT_MS}, and if it rejects. */
export async function settlesInTime(
  promise: Promise<unknown>,
  clock: Pick<Clock, 'after'>,
): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const cancel = clock.after(MAX_WAIT_MS, () => late.resolve(false))
  const settled = promise.then(
    () => true,
    () => false,
  )
  const isInTime = await Promise.race([settled, late.promise])
  cancel()
  return isInTime
}
