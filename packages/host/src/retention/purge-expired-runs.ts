import type { RunStore } from '@troupe/schema'
import { expiredRuns, type Retention } from './expired-runs.ts'

/** Purges expired runs as configured. Never rejects. */
export async function purgeExpiredRuns(
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
    // A busy or full store must not prevent the start. The next start tries again.
  }
}
