import type { Clock } from '@troupe/schema'

/** Resolves when the promise does, or after a time in ms if that is earlier. */
export async function waitAtMost(
  ms: number,
  promise: Promise<unknown>,
  clock: Pick<Clock, 'after'>,
): Promise<void> {
  const timeout = Promise.withResolvers<void>()
  const cancel = clock.after(ms, timeout.resolve)
  try {
    await Promise.race([promise, timeout.promise])
  } finally {
    cancel()
  }
}
