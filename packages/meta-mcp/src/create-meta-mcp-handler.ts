import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import type { MetaMcp } from './create-meta-mcp.ts'
import { createLegacySessions } from './legacy-sessions.ts'

/** How an agent is served over HTTP. */
export interface MetaMcpHandlerOptions {
  /** A new id for each session of a client of the older protocol era: unique and not to be guessed. */
  newSessionId(): string
  /** Names of hosts, without ports, that requests may be for and pages may come from. Default: those of this machine. `any`: who mounts it has looked. */
  readonly allowedHosts?: readonly string[] | 'any'
  /** Told of what goes wrong beside any request. */
  onError?(error: Error): void
}

/** An MCP server as a function from requests to responses. It looks at no path: whoever mounts it does. */
export interface MetaMcpHandler {
  /** Never rejects for what a client sends. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Ends all sessions; the runs of calls in flight are stopped. */
  close(): Promise<void>
}

/**
 * Serves an agent over Streamable HTTP, in both protocol eras on one address. A request for another host, or from a page of another one, is refused
 * before it is read (S8).
 */
export function createMetaMcpHandler(
  meta: Pick<MetaMcp, 'createServer'>,
  { newSessionId, allowedHosts = localhostAllowedHostnames(), onError }: MetaMcpHandlerOptions,
): MetaMcpHandler {
  const refuse = hostCheck(allowedHosts)
  const createServer = meta.createServer.bind(meta)
  const modern = createMcpHandler(createServer, {
    legacy: 'reject',
    ...(onError === undefined ? {} : { onerror: onError }),
  })
  const legacy = createLegacySessions({ createServer, newSessionId })
  return {
    fetch: async (request) => {
      const refused = refuse(request)
      if (refused !== undefined) return refused
      return (await isLegacyRequest(request)) ? legacy.fetch(request) : modern.fetch(request)
    },
    close: async () => {
      await Promise.all([modern.close(), legacy.close()])
    },
  }
}

function hostCheck(allowed: readonly string[] | 'any'): (request: Request) => Response | undefined {
  if (allowed === 'any') return () => undefined
  const hosts = [...allowed]
  return (request) => hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, hosts)
}
