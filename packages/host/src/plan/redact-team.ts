import { createRedactor, redactValues, secretsInUse, type Overlay, type Secret } from '@troupe/env'
import type { Redactor } from '@troupe/schema/ports'
import type { CheckedAgent } from '../check/check-agent.ts'
import type { Environments } from '../config/environments.ts'
import type { LoadedConfig } from '../config/read-config.ts'
import type { HostPlan } from './host-plan.ts'

/**
 * Creates the redactor of a team. One redactor serves all runs of a host, since a secret of one agent can
 * reach others as argument, result or shared value. Secrets are variables with secret-like names, and the
 * values that the configuration and servers use as secrets.
 */
export function teamRedactor(
  agents: Iterable<CheckedAgent>,
  { environments, config }: { readonly environments: Environments; readonly config: LoadedConfig },
): Redactor | undefined {
  const { providers = {}, mcpServers = {}, server = {}, slack = {}, runtime = {} } = config.config
  const { overlay: ofSurfaces } = environments.of(config.folder)
  const secrets: Secret[] = [
    ...environments.secrets(),
    ...secretsInUse(server, ofSurfaces, 'server'),
    ...secretsInUse(slack, ofSurfaces, 'slack'),
    ...secretsInUse(runtime, ofSurfaces, 'runtime'),
  ]
  // Most agents of a team share an environment, and many share servers.
  const seen = new Map<Overlay, Set<unknown>>()
  for (const { environment, servers } of agents) {
    const { overlay } = environment
    const known = seen.get(overlay)
    const scanned = known ?? new Set()
    seen.set(overlay, scanned)
    for (const { name, config: server } of servers.filter(
      (agentServer) => !scanned.has(agentServer.config),
    )) {
      secrets.push(...secretsInUse(server, overlay, `mcpServers.${name}`))
      scanned.add(server)
    }
    if (known !== undefined) continue
    secrets.push(
      ...secretsInUse(providers, overlay, 'providers'),
      ...secretsInUse(mcpServers, overlay, 'mcpServers'),
    )
  }
  return createRedactor(secrets)
}

/**
 * Removes secrets from a plan. Checks its JSON first, since most plans contain none; the redactor also knows
 * the JSON form of a secret.
 */
export function redactPlan(plan: HostPlan, { redact }: Redactor): HostPlan {
  const whole = JSON.stringify(withoutDuplicates(plan))
  return redact(whole) === whole ? plan : redactValues(plan, redact)
}

/** Returns the plan with shared field reports listed once, as they make up most of it. */
function withoutDuplicates({ cards, ...rest }: HostPlan): object {
  const fields = new Set(cards.flatMap((card) => card.fields))
  return [rest, cards.map((card) => ({ ...card, fields: undefined })), [...fields]]
}
