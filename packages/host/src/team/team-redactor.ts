import { createRedactor, secretsInUse, type Overlay, type Secret } from '@troupe/env'
import type { Redactor } from '@troupe/schema'
import type { CheckedAgent } from '../check/check-agent.ts'
import type { Environments } from '../config/environments.ts'
import type { LoadedConfig } from '../config/read-config.ts'

/**
 * Hides the secrets of a whole team: what one agent knows may reach another as an argument, a result or a shared value, so one
 * redactor serves all runs of a host. Looked for are variables that are secrets by their names, and what the configuration
 * and the servers of the agents use as one.
 */
export function teamRedactor(
  agents: Iterable<CheckedAgent>,
  { environments, config }: { readonly environments: Environments; readonly config: LoadedConfig },
): Redactor | undefined {
  const { providers = {}, mcpServers = {}, server = {}, slack = {} } = config.config
  const { overlay: ofSurfaces } = environments.of(config.folder)
  const secrets: Secret[] = [
    ...environments.secrets(),
    ...secretsInUse(server, ofSurfaces, 'server'),
    ...secretsInUse(slack, ofSurfaces, 'slack'),
  ]
  // most agents of a team share an environment, and many of them its servers
  const seen = new Map<Overlay, Set<unknown>>()
  for (const { environment, servers } of agents) {
    const { overlay } = environment
    const known = seen.get(overlay)
    const looked = known ?? new Set()
    seen.set(overlay, looked)
    for (const { name, config: server } of servers.filter((each) => !looked.has(each.config))) {
      secrets.push(...secretsInUse(server, overlay, `mcpServers.${name}`))
      looked.add(server)
    }
    if (known !== undefined) continue
    secrets.push(
      ...secretsInUse(providers, overlay, 'providers'),
      ...secretsInUse(mcpServers, overlay, 'mcpServers'),
    )
  }
  return createRedactor(secrets)
}
