import type { RunStore } from '@troupe/schema'
import { expiredRuns, type Retention } from './expired-runs.ts'

/** Forgets what a store is not to keep any longer, as the configuration says. Never rejects. */
export async function forgetAtStart(
  store: RunStore | undefined,
  retention: Retention | undefined,
  now: number,
): Promise<void> {
  if (store === undefined || retention === undefined) return
  try {
    const sizes = retention.bytes === undefined ? undefined : await store.sizes?.()
    const expired = expiredRuns(await store.roots(), retention, { now, sizes })
    if (expired.length > 0) await store.purge(expired)
  } catch {
    // a store that is busy or full is no reason not to start: the next start forgets them
  }
}
