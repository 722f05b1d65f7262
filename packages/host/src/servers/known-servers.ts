import { canonicalJson } from '@troupe/schema'
import type { AgentServer } from '../check/agent-servers.ts'
import type { Environment } from '../config/environments.ts'
import type { LoadedHost } from '../load-host.ts'

/** A server of a team, with the variables that its definition is filled in from. */
export interface KnownServer {
  readonly server: AgentServer
  readonly environment: Environment
  /** That have it. Empty: it is defined, and nobody names it. */
  readonly agents: readonly string[]
}

/** The servers of the configuration and those that cards define, by name; one definition once, however many agents have it. */
export function knownServers({ config, agents, environment }: LoadedHost): readonly KnownServer[] {
  const found = new Map<string, { server: AgentServer; environment: Environment; agents: string[] }>()
  const add = (server: AgentServer, from: Environment, agent: string | undefined): void => {
    const key = canonicalJson([server.name, server.config, server.folder])
    const known = found.get(key) ?? { server, environment: from, agents: [] }
    found.set(key, known)
    if (agent !== undefined) known.agents.push(agent)
  }
  for (const [name, definition] of Object.entries(config.config.mcpServers ?? {}))
    add({ name, config: definition, folder: config.folder }, environment, undefined)
  for (const agent of agents.values())
    for (const server of agent.servers) add(server, agent.environment, agent.member.definition.name)
  return [...found.values()].toSorted(({ server: a }, { server: b }) => (a.name < b.name ? -1 : 1))
}
