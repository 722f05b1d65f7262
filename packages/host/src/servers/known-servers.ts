import { canonicalJson } from '@troupe/schema'
import type { AgentServer } from '../check/agent-servers.ts'
import type { Environment } from '../config/environments.ts'
import type { LoadedHost } from '../load-host.ts'

/** A server of a team, with the environment that its definition is expanded in. */
export interface KnownServer {
  readonly server: AgentServer
  readonly environment: Environment
  /** Agents that use the server. Empty if it is only defined. */
  readonly agents: readonly string[]
}

/**
 * Returns all servers of the configuration and cards, sorted by name. Equal definitions are listed once with
 * all their agents.
 */
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
