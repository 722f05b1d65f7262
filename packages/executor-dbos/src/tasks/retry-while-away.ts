import type { Clock } from '@troupe/schema'
import { isTemporaryFault } from '@troupe/store-postgres'

/** Delay in ms before work is repeated. */
const RETRY_MS = 500

/**
 * Repeats work as long as the database is away, busy or full. Rejects with other errors, and with the last one
 * when `isStopped` returns true. The work must be idempotent, because its result may have been lost.
 */
export async function retryWhileAway<Result>(
  work: () => Promise<Result>,
  { clock, isStopped }: { readonly clock: Clock; isStopped(): boolean },
): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (thrown) {
      if (!isTemporaryFault(thrown) || isStopped()) throw thrown
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve))
    }
  }
}
