import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { isJsonObject } from '@troupe/schema'
import type { MetaMcp } from './create-meta-mcp.ts'
import type { ExportedTool } from './exported-tool.ts'
import { hasHeaderArguments, headerMismatch } from './header-arguments.ts'
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
  /** Ends all sessions; the runs of calls in flight are stopped, and so are those that wait for a person or go on in the background. */
  close(): Promise<void>
}

/**
 * Serves an agent over Streamable HTTP, in both protocol eras on one address. A request for another host, or from a page of another one, is refused
 * before it is read (S8).
 */
export function createMetaMcpHandler(
  meta: Pick<MetaMcp, 'createServer'> & Partial<Pick<MetaMcp, 'tools' | 'onUpdate' | 'close'>>,
  { newSessionId, allowedHosts = localhostAllowedHostnames(), onError }: MetaMcpHandlerOptions,
): MetaMcpHandler {
  const refuse = hostCheck(allowedHosts)
  const createServer = meta.createServer.bind(meta)
  const modern = createMcpHandler(createServer, {
    legacy: 'reject',
    ...(onError === undefined ? {} : { onerror: onError }),
  })
  const legacy = createLegacySessions({ createServer, newSessionId })
  // each request of the newer era has a server of its own, so its clients hear of updates here
  const leave = meta.onUpdate?.(() => modern.notify.toolsChanged())
  return {
    fetch: async (request) => {
      const refused = refuse(request)
      if (refused !== undefined) return refused
      if (await isLegacyRequest(request)) return legacy.fetch(request)
      return (await mismatchResponse(request, meta.tools ?? [])) ?? modern.fetch(request)
    },
    close: async () => {
      leave?.()
      meta.close?.()
      await Promise.all([modern.close(), legacy.close()])
    },
  }
}

function hostCheck(allowed: readonly string[] | 'any'): (request: Request) => Response | undefined {
  if (allowed === 'any') return () => undefined
  const hosts = [...allowed]
  return (request) => hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, hosts)
}

const HEADER_MISMATCH = -32_020

/** Refuses a call of which headers say something else than its arguments: whoever routed it by them would have been misled. */
async function mismatchResponse(
  request: Request,
  tools: readonly ExportedTool[],
): Promise<Response | undefined> {
  const name = request.headers.get('mcp-name')
  const tool = tools.find(({ wireName }) => wireName === name)
  if (tool === undefined || !hasHeaderArguments(tool)) return undefined
  const body: unknown = await request
    .clone()
    .json()
    // what is no JSON is refused by whoever reads it
    .catch(() => undefined)
  const params = isJsonObject(body) ? body['params'] : undefined
  if (!isJsonObject(body) || !isJsonObject(params)) return undefined
  const args = isJsonObject(params['arguments']) ? params['arguments'] : {}
  const message = headerMismatch(tool, { headers: request.headers, args })
  if (message === undefined) return undefined
  const error = { code: HEADER_MISMATCH, message }
  return Response.json({ jsonrpc: '2.0', id: body['id'] ?? null, error }, { status: 400 })
}
