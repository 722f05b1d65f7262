import { expandValues, missingVariables } from '@troupe/env'
import type { McpLease, McpPool, McpServerRequest } from '@troupe/mcp'
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

/** What a server is asked of a pool by, and the variables of its definition that have no value. */
export function serverRequest(
  { name, config, folder }: AgentServer,
  { environment, principal }: Pick<Parameters<typeof leaseServers>[1], 'environment' | 'principal'>,
): { readonly request: McpServerRequest; readonly missing: readonly string[] } {
  const { value, missing } = expandValues(config, environment.overlay)
  return { request: { server: name, config: value, principal, folder }, missing }
}

async function leaseServer(
  server: AgentServer,
  options: Parameters<typeof leaseServers>[1],
): Promise<McpLease> {
  const { pool, environment, signal, warn } = options
  const { request, missing } = serverRequest(server, options)
  if (missing.length > 0) throw new TroupeError(missingVariables(missing, environment))
  return pool.lease({
    ...request,
    ...(signal === undefined ? {} : { signal }),
    onWarning: (message) => warn({ code: 'mcp_server', message }),
  })
}
