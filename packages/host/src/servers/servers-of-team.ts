import type { Host } from '../host-types.ts'
import type { TeamGenerations } from '../reload/team-generations.ts'
import { useTeam } from '../runs/use-team.ts'

/** Returns the servers of the current team snapshot. */
export function serversOfTeam(team: TeamGenerations): Host['servers'] {
  return {
    list: () => useTeam(team, ({ servers }) => servers.list()),
    tools: (name) => useTeam(team, ({ servers }) => servers.tools(name)),
    prompts: (name) => useTeam(team, ({ servers }) => servers.prompts(name)),
    prompt: (name, asked) => useTeam(team, ({ servers }) => servers.prompt(name, asked)),
    logIn: (name, login) => useTeam(team, ({ servers }) => servers.logIn(name, login)),
    logOut: (name) => useTeam(team, ({ servers }) => servers.logOut(name)),
    lock: (lock) => useTeam(team, ({ servers }) => servers.lock(lock)),
  }
}
