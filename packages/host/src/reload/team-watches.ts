import type { Clock } from '@troupe/schema'
import type { HostOptions } from '../host-types.ts'
import type { TeamSnapshots } from './team-snapshots.ts'
import { openTeamWatch, type HostWatch, type WatchOptions } from './watch-team.ts'

/** The watches of one host. */
export interface TeamWatches {
  open(options: WatchOptions): Promise<HostWatch>
  close(): Promise<void>
}

/** Creates the watches of a host. Each watch ends with its own `close` or with that of all. */
export function createTeamWatches(
  team: TeamSnapshots,
  parts: { readonly options: HostOptions; readonly clock: Clock },
): TeamWatches {
  const open = new Set<Promise<HostWatch>>()
  return {
    open: (options) => {
      const opening = openTeamWatch(team, { ...parts, ...options })
      open.add(opening)
      opening.catch(() => open.delete(opening))
      return opening
    },
    close: async () => {
      await Promise.allSettled([...open].map(async (opening) => (await opening).close()))
    },
  }
}
