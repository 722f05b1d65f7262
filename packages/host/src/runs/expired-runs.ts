import type { RootRunRecord, RunStore } from '@troupe/schema/ports'
import type { Retention } from '../config/config-schema.ts'

const DAY_MS = 24 * 60 * 60_000

/**
 * Returns the ids of root runs to purge. All runs of a session have the age of its last change. Open root
 * runs are never purged.
 */
export function expiredRuns(
  roots: readonly RootRunRecord[],
  { days = Infinity, runs = Infinity, bytes = Infinity }: Retention,
  { now, sizes }: { readonly now: number; readonly sizes?: ReadonlyMap<string, number> | undefined },
): readonly string[] {
  const ages = lastChanges(roots)
  const changedAt = (root: RootRunRecord): number => ages.get(groupOf(root)) ?? 0
  // Reversed first, so that of runs changed at the same time the last started comes first.
  const latestFirst = roots.toReversed().toSorted((a, b) => changedAt(b) - changedAt(a))
  let retainedBytes = 0
  return latestFirst.flatMap((root, index) => {
    retainedBytes += sizes?.get(root.rootRunId) ?? 0
    const isRetained = index < runs && retainedBytes <= bytes && changedAt(root) > now - days * DAY_MS
    return isRetained || root.open ? [] : root.rootRunId
  })
}

/** Returns the time of the last change by session. */
function lastChanges(roots: readonly RootRunRecord[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>()
  for (const root of roots) {
    const group = groupOf(root)
    last.set(group, Math.max(last.get(group) ?? 0, root.changedAt ?? 0))
  }
  return last
}

function groupOf({ rootRunId, session }: RootRunRecord): string {
  return session === undefined ? rootRunId : `${session.principal} ${session.sessionId}`
}

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
