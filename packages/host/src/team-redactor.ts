import { createRedactor, secretsInUse, type Secret } from '@troupe/env'
import type { Redactor } from '@troupe/schema'
import type { CheckedAgent } from './check-agent.ts'
import type { Environments } from './environments.ts'
import type { LoadedConfig } from './read-config.ts'

/**
 * Hides the secrets of a whole team: what one agent knows may reach another as an argument, a result or a shared value, so one
 * redactor serves all runs of a host. Looked for are variables that are secrets by their names, and what the configuration
 * and the servers of the agents use as one.
 */
export function teamRedactor(
  agents: Iterable<CheckedAgent>,
  { environments, config }: { readonly environments: Environments; readonly config: LoadedConfig },
): Redactor | undefined {
  const { providers = {}, mcpServers = {} } = config.config
  const secrets: Secret[] = [...environments.secrets()]
  const seen = new Set<unknown>()
  for (const { environment, servers } of agents) {
    const { overlay } = environment
    for (const { name, config: server } of servers)
      secrets.push(...secretsInUse(server, overlay, `mcpServers.${name}`))
    if (seen.has(overlay)) continue
    seen.add(overlay)
    secrets.push(
      ...secretsInUse(providers, overlay, 'providers'),
      ...secretsInUse(mcpServers, overlay, 'mcpServers'),
    )
  }
  return createRedactor(secrets)
}
