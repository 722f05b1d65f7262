import {
  Client,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type JsonSchemaValidator,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import type { Containment, GroupLedger } from '@troupe/process'
import { TroupeError, troupeError, type Clock } from '@troupe/schema'
import type { LoginSession } from '../auth/login-session.ts'
import { createScopeFetch } from '../auth/login-failure.ts'
import { NO_TIMEOUT } from '../requests/call-tool.ts'
import { type ConnectionListener, type McpConnection, toConnection } from './connection.ts'
import { createGuardedFetch } from '../http/guarded-fetch.ts'
import type { HttpTarget, ServerTarget, StdioTarget } from '../target/server-target.ts'
import { startFailure } from './start-failure.ts'
import { StdioTransport, type RunningProcess } from '../stdio/stdio-transport.ts'

const STDIO_PROBE = 10_000

/** HTTP statuses with which a server that supports only the HTTP+SSE transport may respond to a POST. */
const OLDER_SERVER: ReadonlySet<number> = new Set([400, 404, 405, 406, 415, 501])

/** Options of a connection beyond its target. */
export interface ConnectionOptions {
  readonly client: { readonly name: string; readonly version: string }
  readonly clock: Clock
  /** In ms. */
  readonly startTimeout: number
  readonly maxMessageBytes: number
  /** Processes to end when the pool closes. */
  readonly running: Set<RunningProcess>
  readonly ledger?: GroupLedger | undefined
  readonly containment: () => Promise<Containment>
  readonly listener: ConnectionListener
  /** Aborts when the connection is no longer needed. */
  readonly signal: AbortSignal
  /** Protocol generation found by an earlier connection, to skip the probe. */
  readonly era?: 'legacy'
  /** True if the model may read the server's resources. */
  readonly resources?: boolean
  /** True if the server may use the models of the agents that call it. */
  readonly sampling?: boolean
  /** URIs of the folders that the server can list. */
  readonly roots?: readonly string[]
  /** Authentication for an HTTP server. */
  readonly session?: LoginSession
}

/**
 * Starts a server or connects to it and negotiates the protocol revision: 2026-07-28, or an older one that it
 * supports. Rejects with `mcp_start_failed`; a started process is then already being ended.
 */
export async function openConnection(
  target: ServerTarget,
  options: ConnectionOptions,
): Promise<McpConnection> {
  const watch = watchStart({ clock: options.clock, timeout: options.startTimeout, signal: options.signal })
  const start: Start = { options, watch }
  try {
    return await (target.kind === 'stdio' ? connectStdio(target, start) : connectHttp(target, start))
  } finally {
    watch.stop()
  }
}

interface Start {
  readonly options: ConnectionOptions
  readonly watch: StartWatch
}

async function connectStdio(target: StdioTarget, start: Start): Promise<McpConnection> {
  const transport = (): StdioTransport =>
    new StdioTransport({ target, ...start.options, warn: (text) => start.options.listener.warn(text) })
  if (start.options.era === 'legacy') return connect(target, transport(), { ...start, mode: 'legacy' })
  try {
    return await connect(target, transport(), { ...start, mode: 'auto' })
  } catch (thrown) {
    // some older servers exit on the first unknown request: start again with the older protocol
    if (!isNegotiationFailure(thrown) || start.watch.over) throw thrown
    return connect(target, transport(), { ...start, mode: 'legacy' })
  }
}

/** Connects over a WebSocket. Some servers refuse the subprotocol that others require. */
async function connectWebSocket(target: HttpTarget, start: Start): Promise<McpConnection> {
  const { maxMessageBytes } = start.options
  // Loaded on demand, because few servers need it.
  const { WebSocketTransport } = await import('../websocket/websocket-transport.ts')
  const open = (subprotocol?: string): Promise<McpConnection> => {
    const options = { target, maxMessageBytes, ...(subprotocol === undefined ? {} : { subprotocol }) }
    return connect(target, new WebSocketTransport(options), { ...start, mode: 'legacy' })
  }
  try {
    return await open('mcp')
  } catch (thrown) {
    if (start.watch.over) throw thrown
    return open().catch(() => Promise.reject(thrown))
  }
}

async function connectHttp(target: HttpTarget, start: Start): Promise<McpConnection> {
  if (target.transport === 'websocket') return connectWebSocket(target, start)
  const { session } = start.options
  const fetch = createGuardedFetch(start.options)
  const options = {
    requestInit: { headers: { ...target.headers } },
    ...(session === undefined
      ? { fetch }
      : { fetch: createScopeFetch(fetch, session), authProvider: session }),
  }
  const older = (): Promise<McpConnection> =>
    connect(target, new SSEClientTransport(target.url, options), { ...start, mode: 'legacy' })
  if (target.transport === 'sse') return older()
  try {
    const transport = new StreamableHTTPClientTransport(target.url, options)
    return await connect(target, transport, { ...start, mode: start.options.era ?? 'auto' })
  } catch (thrown) {
    if (target.transport !== 'any' || !mayBeSseServer(thrown) || start.watch.over) throw thrown
    // most such URLs are simply wrong, so report the first failure
    return older().catch(() => Promise.reject(thrown))
  }
}

async function connect(
  target: ServerTarget,
  transport: Transport,
  start: Start & { readonly mode: 'auto' | 'legacy' },
): Promise<McpConnection> {
  const { options, watch, mode } = start
  const client = createClient(options, { mode, probeTimeout: probeTimeout(target, options) })
  const close = (): Promise<void> => transport.close().catch(ignoreLateFailure)
  watch.check()
  try {
    await watch.guard(client.connect(transport, { timeout: NO_TIMEOUT }), close)
    return toConnection({ target, client, transport, options })
  } catch (thrown) {
    void close()
    watch.check()
    throw startFailure(thrown, {
      target,
      transport,
      hasLogins: options.session !== undefined,
      ...(watch.timedOut ? { timedOutAfter: options.startTimeout } : {}),
    })
  }
}

/**
 * Returns the time limit of the protocol probe. Some older stdio servers ignore an unknown request, so a
 * timeout means the older protocol. For HTTP a timeout is an outage.
 */
function probeTimeout(target: ServerTarget, { startTimeout }: ConnectionOptions): number {
  return target.kind === 'http' ? NO_TIMEOUT : Math.min(STDIO_PROBE, startTimeout / 2)
}

/** The start has already failed, so errors while closing do not matter. */
function ignoreLateFailure(): void {}

function isNegotiationFailure(thrown: unknown): boolean {
  const cause = causeOf(thrown)
  return SdkError.isInstance(cause) && cause.code === SdkErrorCode.EraNegotiationFailed
}

function mayBeSseServer(thrown: unknown): boolean {
  const cause = causeOf(thrown)
  return SdkHttpError.isInstance(cause) && OLDER_SERVER.has(cause.status)
}

function causeOf(thrown: unknown): unknown {
  return TroupeError.isInstance(thrown) ? thrown.cause : undefined
}

/**
 * Accepts every value, so that the SDK compiles no schemas from the server: their regular expressions could
 * run forever.
 */
const NO_VALIDATION = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined })
  },
}

/**
 * Creates an unconnected client. It offers roots and sampling only if the server's definition says so.
 * Elicitations and model calls are routed to the run whose call caused them.
 */
function createClient(
  { client: info, sampling = false, roots = [] }: ConnectionOptions,
  options: {
    readonly mode: VersionNegotiationMode
    /** Time limit for the protocol probe, in ms. */
    readonly probeTimeout: number
  },
): Client {
  return new Client(
    { name: info.name, version: info.version },
    {
      capabilities: {
        elicitation: { form: {} },
        ...(sampling ? { sampling: {} } : {}),
        ...(roots.length === 0 ? {} : { roots: {} }),
      },
      jsonSchemaValidator: NO_VALIDATION,
      versionNegotiation: {
        mode: options.mode,
        probe: { timeoutMs: options.probeTimeout },
      },
    },
  )
}

/** Ends a start that times out or is no longer needed. */
interface StartWatch {
  /** Returns the result of `work`. Rejects and calls `close` as soon as the start has to end. */
  guard<T>(work: Promise<T>, close: () => Promise<void>): Promise<T>
  /** True if the start timed out. */
  readonly timedOut: boolean
  /** True if no further attempt may be made. */
  readonly over: boolean
  /** Throws `mcp_closed` if the start is no longer needed. */
  check(): void
  /** Stops watching. Call it when the start has succeeded or failed. */
  stop(): void
}

/** Starts watching. `signal` aborts when the start is no longer needed. */
function watchStart(options: {
  readonly clock: Clock
  readonly timeout: number
  readonly signal: AbortSignal
}): StartWatch {
  const { clock, timeout, signal } = options
  let timedOut = false
  let end = (): void => undefined
  const onAbort = (): void => end()
  const cancel = clock.after(timeout, () => {
    timedOut = true
    end()
  })
  signal.addEventListener('abort', onAbort)

  return {
    guard(work, close) {
      return new Promise((resolve, reject) => {
        end = () => {
          void close()
          reject(troupeError('mcp_closed', 'The start of the MCP server was cancelled.'))
        }
        work.then(resolve, reject)
        if (timedOut || signal.aborted) end()
      })
    },
    get timedOut() {
      return timedOut
    },
    get over() {
      return timedOut || signal.aborted
    },
    check() {
      if (signal.aborted) throw troupeError('mcp_closed', 'The pool of MCP servers is closed.')
    },
    stop() {
      cancel()
      signal.removeEventListener('abort', onAbort)
    },
  }
}
