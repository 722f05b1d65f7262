import type { TeamChanges } from '@troupe/schema'
import type { Generation } from '../generation.ts'
import type { TeamGenerations } from '../reload/team-generations.ts'

/** Retains the current team snapshot, or one with changes, until `work` ends, regardless of reloads. */
export async function useTeam<T>(
  team: TeamGenerations,
  work: (generation: Generation) => Promise<T>,
  changes?: TeamChanges,
): Promise<T> {
  const { current } = team
  const { generation, release } =
    changes === undefined ? { generation: current, release: current.hold() } : team.lend(changes)
  try {
    return await work(generation)
  } finally {
    release()
  }
}
