import type { Host } from '../host-types.ts'
import type { TeamSnapshots } from '../reload/team-snapshots.ts'
import { useTeam } from '../runs/use-team.ts'

/** Returns the servers of the current team snapshot. */
export function createTeamServers(team: TeamSnapshots): Host['servers'] {
  return {
    list: () => useTeam(team, ({ servers }) => servers.list()),
    tools: (name) => useTeam(team, ({ servers }) => servers.tools(name)),
    prompts: (name) => useTeam(team, ({ servers }) => servers.prompts(name)),
    prompt: (name, request) => useTeam(team, ({ servers }) => servers.prompt(name, request)),
    logIn: (name, login) => useTeam(team, ({ servers }) => servers.logIn(name, login)),
    logOut: (name) => useTeam(team, ({ servers }) => servers.logOut(name)),
    lock: (lock) => useTeam(team, ({ servers }) => servers.lock(lock)),
  }
}
