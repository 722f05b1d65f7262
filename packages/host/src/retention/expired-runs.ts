import type { StoredRoot } from '@troupe/schema'

/** How long runs are kept. None of it: for good. */
export interface Retention {
  /** Since they were last written. */
  readonly days?: number
  /** So many, the latest first. */
  readonly runs?: number
  /** Together, where the store knows what each takes. */
  readonly bytes?: number
}

const DAY_MS = 24 * 60 * 60_000

/** The roots that are not to be kept any longer. A conversation is as young as its last turn, and a root that somebody works on stays. */
export function expiredRuns(
  roots: readonly StoredRoot[],
  { days = Infinity, runs = Infinity, bytes = Infinity }: Retention,
  { now, sizes }: { readonly now: number; readonly sizes?: ReadonlyMap<string, number> | undefined },
): readonly string[] {
  const ages = lastChanges(roots)
  const changedAt = (root: StoredRoot): number => ages.get(groupOf(root)) ?? 0
  // those that changed at the same time stand in the order they were begun
  const latestFirst = roots.toReversed().toSorted((one, other) => changedAt(other) - changedAt(one))
  let taken = 0
  return latestFirst.flatMap((root, index) => {
    taken += sizes?.get(root.rootRunId) ?? 0
    const isKept = index < runs && taken <= bytes && changedAt(root) > now - days * DAY_MS
    return isKept || root.open ? [] : root.rootRunId
  })
}

/** By conversation, when any of its roots was last written. */
function lastChanges(roots: readonly StoredRoot[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>()
  for (const root of roots) {
    const group = groupOf(root)
    last.set(group, Math.max(last.get(group) ?? 0, root.changedAt ?? 0))
  }
  return last
}

function groupOf({ rootRunId, session }: StoredRoot): string {
  return session === undefined ? rootRunId : `${session.principal} ${session.sessionId}`
}
