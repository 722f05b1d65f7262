import { expandValues, missingVariables } from '@troupe/env'
import type { McpLease, McpPool, McpServerRequest } from '@troupe/mcp'
import type { Warn } from '@troupe/registry'
import { TroupeError, type MaybePromise, type ToolDefinition } from '@troupe/schema'
import type { AgentServer } from '../check/agent-servers.ts'
import type { Environment } from '../config/environments.ts'

/** The part of a lease that a session uses. */
type LeasedTools = Pick<McpLease, 'tools' | 'release'>

/** The leased servers of one session. */
export interface LeasedServers {
  /** In the order of the servers. An unavailable server has a lease without tools. */
  readonly leases: readonly LeasedTools[]
  /** Names of optional servers that are unavailable. */
  readonly unavailable: readonly string[]
  release(): MaybePromise<void>
}

/** Options for leasing the servers of a session. */
interface ServerLeaseOptions {
  readonly pool: McpPool
  readonly environment: Environment
  readonly principal: string
  readonly signal?: AbortSignal | undefined
  /** True to treat servers with `required: false` as required. */
  readonly needsAll?: boolean
  readonly warn: Warn
}

/**
 * Leases all servers of an agent concurrently. An optional server that fails is skipped with a warning. If a
 * required one fails, the others are released and the error is thrown.
 */
export async function leaseServers(
  servers: readonly AgentServer[],
  options: ServerLeaseOptions,
): Promise<LeasedServers> {
  const unavailable: string[] = []
  const settled = await Promise.allSettled(
    servers.map((server) =>
      leaseServer(server, options).catch((thrown: unknown) => {
        if (!canContinueWithout(server, thrown, options)) throw thrown
        unavailable.push(server.name)
        options.warn({
          code: 'mcp_server',
          message: absenceText(server, thrown),
          weakens: true,
          server: server.name,
        })
        return ABSENT
      }),
    ),
  )
  const leases = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const release = async (): Promise<void> => {
    await Promise.all(leases.map((lease) => lease.release()))
  }
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed === undefined) return { leases, unavailable, release }
  await release()
  throw failed.reason
}

/**
 * Returns the request for a server from a pool, and the variables of its definition that have no value. A
 * server of a remote card gets a separate principal, so that it cannot use logins stored for the same
 * address.
 */
export function serverRequest(
  { name, config, folder, address }: AgentServer,
  { environment, principal }: Pick<ServerLeaseOptions, 'environment' | 'principal'>,
): { readonly request: McpServerRequest; readonly missing: readonly string[] } {
  const { value, missing } = expandValues(config, environment.overlay)
  const owner = address === undefined ? principal : `${principal} ${address}`
  return { request: { server: name, config: value, principal: owner, folder }, missing }
}

const NO_TOOLS: readonly ToolDefinition[] = Object.freeze([])
const ABSENT: LeasedTools = Object.freeze({ tools: NO_TOOLS, release: () => Promise.resolve() })

/**
 * Returns true if the run can continue without the server. Configuration mistakes and cancellation do not
 * count as failures of the server.
 */
function canContinueWithout(
  { config }: AgentServer,
  thrown: unknown,
  { needsAll = false, signal }: ServerLeaseOptions,
): thrown is TroupeError {
  if (config.required !== false || needsAll || signal?.aborted === true) return false
  return TroupeError.isInstance(thrown) && thrown.failure.class !== 'config'
}

function absenceText({ name }: AgentServer, thrown: TroupeError): string {
  return `The run continues without the tools of the optional MCP server "${name}". ${thrown.message}`
}

async function leaseServer(server: AgentServer, options: ServerLeaseOptions): Promise<McpLease> {
  const { pool, environment, signal, warn } = options
  const { request, missing } = serverRequest(server, options)
  if (missing.length > 0) throw new TroupeError(missingVariables(missing, environment))
  return pool.lease({
    ...request,
    ...(signal === undefined ? {} : { signal }),
    onWarning: (message) => warn({ code: 'mcp_server', message, server: server.name }),
  })
}
