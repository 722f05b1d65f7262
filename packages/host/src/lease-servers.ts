import { expandValues, missingVariables } from '@troupe/env'
import type { McpLease, McpPool } from '@troupe/mcp'
import type { Warn } from '@troupe/registry'
import { TroupeError } from '@troupe/schema'
import type { AgentServer } from './agent-servers.ts'
import type { Environment } from './environments.ts'

/** The servers of one session. */
export interface LeasedServers {
  /** In the order of the servers. */
  readonly leases: readonly McpLease[]
  release(): Promise<void>
}

/** Leases every server of an agent at once. When one cannot be had the others are given back and its error is thrown. */
export async function leaseServers(
  servers: readonly AgentServer[],
  options: {
    readonly pool: McpPool
    readonly environment: Environment
    readonly principal: string
    readonly signal?: AbortSignal | undefined
    readonly warn: Warn
  },
): Promise<LeasedServers> {
  const settled = await Promise.allSettled(servers.map((server) => leaseServer(server, options)))
  const leases = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const release = async (): Promise<void> => {
    await Promise.all(leases.map((lease) => lease.release()))
  }
  const failed = settled.find((each) => each.status === 'rejected')
  if (failed === undefined) return { leases, release }
  await release()
  throw failed.reason
}

async function leaseServer(
  { name, config, folder }: AgentServer,
  options: Parameters<typeof leaseServers>[1],
): Promise<McpLease> {
  const { pool, environment, principal, signal, warn } = options
  const { value, missing } = expandValues(config, environment.overlay)
  if (missing.length > 0) throw new TroupeError(missingVariables(missing, environment))
  return pool.lease({
    server: name,
    config: value,
    principal,
    folder,
    ...(signal === undefined ? {} : { signal }),
    onWarning: (message) => warn({ code: 'mcp_server', message }),
  })
}
