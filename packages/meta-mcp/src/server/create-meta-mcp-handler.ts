import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
  type Server,
} from '@modelcontextprotocol/server'
import { getOwn, isJsonObject, type JsonObject } from '@troupe/schema'
import type { ExportedTool } from '../tools/exported-tool.ts'
import type { MetaMcp } from './create-meta-mcp.ts'

/** Options of `createMetaMcpHandler`. */
export interface MetaMcpHandlerOptions {
  /** Returns a unique, unguessable session id for a client of the older protocol. */
  newSessionId(): string
  /**
   * Host names without ports that are allowed in `Host` and `Origin`. Default: loopback names. `any` if the
   * caller has already checked them.
   */
  readonly allowedHosts?: readonly string[] | 'any'
  /** Called with errors that belong to no request. */
  onError?(error: Error): void
}

/** An MCP server as a function from requests to responses. It ignores the path, which the caller routes. */
export interface MetaMcpHandler {
  /** Never rejects because of client input. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Ends all sessions and cancels all calls, including those that wait for a person and background calls. */
  close(): Promise<void>
}

/**
 * Creates a Streamable HTTP handler for both protocol generations at one URL. Rejects requests with a foreign
 * `Host` or `Origin` before reading them.
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
  // the newer protocol uses one server per request, so updates are sent by the handler
  const unsubscribe = meta.onUpdate?.(() => modern.notify.toolsChanged())
  return {
    fetch: async (request) => {
      const refused = refuse(request)
      if (refused !== undefined) return refused
      if (await isLegacyRequest(request)) return legacy.fetch(request)
      return (await mismatchResponse(request, meta.tools ?? [])) ?? modern.fetch(request)
    },
    close: async () => {
      unsubscribe?.()
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

/** Rejects a call whose headers differ from its arguments, because proxies route by the headers. */
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
    // the SDK rejects bodies that are not JSON
    .catch(() => undefined)
  const params = isJsonObject(body) ? body['params'] : undefined
  if (!isJsonObject(body) || !isJsonObject(params)) return undefined
  const args = isJsonObject(params['arguments']) ? params['arguments'] : {}
  const message = headerMismatch(tool, { headers: request.headers, args })
  if (message === undefined) return undefined
  const error = { code: HEADER_MISMATCH, message }
  return Response.json({ jsonrpc: '2.0', id: body['id'] ?? null, error }, { status: 400 })
}

const PREFIX = 'mcp-param-'
const MARK = 'x-mcp-header'
const BASE64 = /^=\?base64\?(.*)\?=$/u
/** Matches valid Base64 with padding. */
const WELL_FORMED = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u

/** Returns true if arguments of the tool are also sent as headers. */
function hasHeaderArguments({ parameters }: Pick<ExportedTool, 'parameters'>): boolean {
  return headersOf(parameters).length > 0
}

/** Describes the difference between the headers of a request and its arguments; `undefined` if they agree. */
function headerMismatch(
  { parameters }: Pick<ExportedTool, 'parameters'>,
  { headers, args }: { readonly headers: Headers; readonly args: JsonObject },
): string | undefined {
  for (const { argument, header } of headersOf(parameters)) {
    const given = headers.get(`${PREFIX}${header}`)
    const value = getOwn(args, argument)
    const wanted = value === undefined || value === null ? undefined : asText(value)
    if (given === null && wanted === undefined) continue
    if (given === null) return `Mcp-Param-${header} is missing, but the arguments contain ${argument}.`
    const said = decode(given)
    if (said === undefined) return `Mcp-Param-${header} is not valid Base64.`
    if (said !== wanted) return `Mcp-Param-${header} does not match ${argument} in the arguments.`
  }
  return undefined
}

function headersOf({
  properties,
}: JsonObject): readonly { readonly argument: string; readonly header: string }[] {
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).flatMap(([argument, schema]) => {
    const header = isJsonObject(schema) ? schema[MARK] : undefined
    return typeof header === 'string' ? [{ argument, header }] : []
  })
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Decodes a header value, which is plain or wrapped as Base64. Returns `undefined` for invalid Base64. */
function decode(value: string): string | undefined {
  const coded = BASE64.exec(value)?.[1]
  if (coded === undefined) return value
  if (!WELL_FORMED.test(coded)) return undefined
  return new TextDecoder().decode(Uint8Array.from(atob(coded), (letter) => letter.charCodeAt(0)))
}

/** Maximum number of sessions. The least recently used one is closed. */
const MAX_SESSIONS = 1000

/** Sessions of clients with the older protocol, which send a session id with every request. */
interface LegacySessions {
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

/**
 * Creates the session handler, with one server and transport per session. The SDK's stateless mode could not
 * deliver cancellations to a call, so that the agent would continue to run.
 */
function createLegacySessions({
  createServer,
  newSessionId,
}: {
  createServer(): Server
  newSessionId(): string
}): LegacySessions {
  // in order of last use
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

  async function open(request: Request): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: newSessionId,
      onsessioninitialized: (id) => addSession(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await createServer().connect(transport)
    const response = await transport.handleRequest(request)
    // the transport has rejected a first request that is not `initialize`
    if (transport.sessionId === undefined || !sessions.has(transport.sessionId)) await transport.close()
    return response
  }

  async function addSession(id: string, transport: WebStandardStreamableHTTPServerTransport): Promise<void> {
    sessions.set(id, transport)
    const [oldest] = sessions
    if (sessions.size <= MAX_SESSIONS || oldest === undefined) return
    sessions.delete(oldest[0])
    await oldest[1].close()
  }

  return {
    fetch: async (request) => {
      const id = request.headers.get('mcp-session-id')
      if (id === null) return open(request)
      const transport = sessions.get(id)
      if (transport === undefined) return unknownSession()
      sessions.delete(id)
      sessions.set(id, transport)
      return transport.handleRequest(request)
    },
    close: async () => {
      const open = [...sessions.values()]
      sessions.clear()
      await Promise.all(open.map((transport) => transport.close()))
    },
  }
}

/** Returns the response that makes a client open a new session. */
function unknownSession(): Response {
  const error = { code: -32_001, message: 'Session not found' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 })
}
