import { expandValues, missingVariables } from '@troupe/env'
import type { McpLease, McpPool, McpServerRequest } from '@troupe/mcp'
import type { Warn } from '@troupe/registry'
import { TroupeError, type MaybePromise, type ToolDefinition } from '@troupe/schema'
import type { AgentServer } from '../check/agent-servers.ts'
import type { Environment } from '../config/environments.ts'

/** What a session uses of a server. */
type LeasedTools = Pick<McpLease, 'tools' | 'release'>

/** The servers of one session. */
export interface LeasedServers {
  /** In the order of the servers. Of one that is absent: a lease without tools. */
  readonly leases: readonly LeasedTools[]
  /** The servers that could not be had and that the agent can do without. */
  readonly absent: readonly string[]
  release(): MaybePromise<void>
}

/** How the servers of a session are leased. */
export interface LeaseOptions {
  readonly pool: McpPool
  readonly environment: Environment
  readonly principal: string
  readonly signal?: AbortSignal | undefined
  /** Servers with `required: false` count as required, too. */
  readonly needsAll?: boolean
  readonly warn: Warn
}

/**
 * Leases every server of an agent at once. When one cannot be had, a run that can do without it goes on without it, with a warning;
 * else the others are given back and the error is thrown.
 */
export async function leaseServers(
  servers: readonly AgentServer[],
  options: LeaseOptions,
): Promise<LeasedServers> {
  const absent: string[] = []
  const settled = await Promise.allSettled(
    servers.map((server) =>
      leaseServer(server, options).catch((thrown: unknown) => {
        if (!isDispensable(server, thrown, options)) throw thrown
        absent.push(server.name)
        options.warn({ code: 'mcp_server', message: absence(server, thrown), weakens: true })
        return ABSENT
      }),
    ),
  )
  const leases = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const release = async (): Promise<void> => {
    await Promise.all(leases.map((lease) => lease.release()))
  }
  const failed = settled.find((each) => each.status === 'rejected')
  if (failed === undefined) return { leases, absent, release }
  await release()
  throw failed.reason
}

/**
 * Returns what a server is requested from a pool by, and the variables of its definition that have no value. The server of a remote card
 * belongs to a principal of its own, so that it does not get the logins that a person made for the same address.
 */
export function serverRequest(
  { name, config, folder, address }: AgentServer,
  { environment, principal }: Pick<LeaseOptions, 'environment' | 'principal'>,
): { readonly request: McpServerRequest; readonly missing: readonly string[] } {
  const { value, missing } = expandValues(config, environment.overlay)
  const owner = address === undefined ? principal : `${principal} ${address}`
  return { request: { server: name, config: value, principal: owner, folder }, missing }
}

const NO_TOOLS: readonly ToolDefinition[] = Object.freeze([])
const ABSENT: LeasedTools = Object.freeze({ tools: NO_TOOLS, release: () => Promise.resolve() })

/** A mistake in the definition, or a run that was stopped, is no failure of a server. */
function isDispensable(
  { config }: AgentServer,
  thrown: unknown,
  { needsAll = false, signal }: LeaseOptions,
): thrown is TroupeError {
  if (config.required !== false || needsAll || signal?.aborted === true) return false
  return TroupeError.isInstance(thrown) && thrown.failure.class !== 'config'
}

function absence({ name }: AgentServer, thrown: TroupeError): string {
  return `The run goes on without the tools of the MCP server "${name}", which it does not require. ${thrown.message}`
}

async function leaseServer(server: AgentServer, options: LeaseOptions): Promise<McpLease> {
  const { pool, environment, signal, warn } = options
  const { request, missing } = serverRequest(server, options)
  if (missing.length > 0) throw new TroupeError(missingVariables(missing, environment))
  return pool.lease({
    ...request,
    ...(signal === undefined ? {} : { signal }),
    onWarning: (message) => warn({ code: 'mcp_server', message }),
  })
}
