import type { TeamOverrides } from '@troupe/schema'
import type { TeamSnapshot } from '../team-snapshot.ts'
import type { TeamSnapshots } from '../reload/team-snapshots.ts'

/** Retains the current team snapshot, or one with changes, until `work` ends, regardless of reloads. */
export async function useTeam<T>(
  team: TeamSnapshots,
  work: (snapshot: TeamSnapshot) => Promise<T>,
  changes?: TeamOverrides,
): Promise<T> {
  const { current } = team
  const { snapshot, release } =
    changes === undefined ? { snapshot: current, release: current.retain() } : team.withChanges(changes)
  try {
    return await work(snapshot)
  } finally {
    release()
  }
}
