import { expandValues, missingVariables } from '@troupe/env'
import { troupeError, TroupeError, type McpServerConfig } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import { suggestionText } from '../config/plan-problem.ts'
import type { AgentServer } from '../check/agent-servers.ts'
import type { Environment } from '../config/environments.ts'
import type { LoadedTeam } from '../plan/load-team.ts'

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
export function knownServers({ config, agents, environment }: LoadedTeam): readonly KnownServer[] {
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

export function findServer(servers: readonly KnownServer[], name: string): KnownServer {
  const found = servers.find(({ server }) => server.name === name)
  if (found !== undefined) return found
  const names = [...new Set(servers.map(({ server }) => server.name))]
  throw troupeError(
    'mcp_unknown_server',
    `There is no MCP server "${name}"${suggestionText(name, names)} Defined: ${names.join(', ') || 'none'}.`,
  )
}

/** Returns the first enabled server of each name, since a lock has one entry per name. */
export function uniqueByName(servers: readonly KnownServer[]): readonly KnownServer[] {
  const first = new Map<string, KnownServer>()
  for (const known of servers)
    if (known.server.config.disabled !== true && !first.has(known.server.name))
      first.set(known.server.name, known)
  return [...first.values()]
}

export function expandServer({ server, environment }: KnownServer): McpServerConfig {
  const { value, missing } = expandValues(server.config, environment.overlay)
  if (missing.length > 0) throw new TroupeError(missingVariables(missing, environment))
  return value
}
