import type { TeamChanges } from '@troupe/schema'
import type { Generation } from '../generation.ts'
import type { TeamGenerations } from '../reload/team-generations.ts'

/** Lends the team in force, or the team with changes, to the work, which keeps it to its end whatever is reloaded meanwhile. */
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
