import type { Clock } from '@troupe/schema'

/** Resolves when `work` settles or after `ms`, whichever is first. Never rejects. */
export async function settleWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  let cancel = (): void => undefined
  const timeUp = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  await Promise.race([work.catch(() => undefined), timeUp])
  cancel()
}
