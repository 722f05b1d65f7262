import {
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import type { Containment, GroupLedger } from '@troupe/process'
import { TroupeError, type Clock } from '@troupe/schema'
import type { LoginSession } from '../auth/login-session.ts'
import { createScopeFetch } from '../auth/scope-fetch.ts'
import { NO_TIMEOUT } from '../calls/call-tool.ts'
import type { McpConnection, ConnectionListener } from './connection.ts'
import { createClient } from './create-client.ts'
import { createGuardedFetch } from '../http/guarded-fetch.ts'
import type { HttpTarget, ServerTarget, StdioTarget } from '../pool/server-target.ts'
import { startFailure } from './start-failure.ts'
import { watchStart, type StartWatch } from './start-watch.ts'
import { StdioTransport, type RunningProcess } from '../stdio/stdio-transport.ts'
import { toConnection } from './to-connection.ts'

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

async function connectHttp(target: HttpTarget, start: Start): Promise<McpConnection> {
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
  const client = createClient(options.client, { mode, probeTimeout: probeTimeout(target, options) })
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
