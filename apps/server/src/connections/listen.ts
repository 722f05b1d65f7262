import { errorMessage, troupeError } from '@troupe/schema'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limitConnections, type ConnectionLimits } from './limit-connections.ts'

/**
 * Keep-alive timeout in ms. It exceeds those of clients and proxies, so that no connection is closed while a
 * request is on its way.
 */
const KEEP_ALIVE_MS = 75_000
/** Interval at which late requests are ended, in ms. Node's default is 30 s. */
const CHECK_MS = 500
/** Maximum number of connections that wait to be accepted, if the operating system allows as many. */
const BACKLOG = 4096

/**
 * Creates a server that listens, with limits on its connections. The caller must add the request listener
 * immediately. Throws `usage_invalid` if the port is not available.
 */
export async function listen({
  hostname,
  port,
  limits,
}: {
  readonly hostname: string
  readonly port: number
  /** Timeouts are in ms. */
  readonly limits: ConnectionLimits & { readonly headersTimeout: number; readonly requestTimeout: number }
}): Promise<{ readonly server: Server; readonly port: number }> {
  const { headersTimeout, requestTimeout } = limits
  const server = createServer({
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    shouldUpgradeCallback: wantsSocket,
  })
  limitConnections(server, limits)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        troupeError('usage_invalid', `Cannot listen on ${hostname}:${port}: ${errorMessage(cause)}`, {
          fix: 'Stop the process that uses the port, or choose another one; 0 picks a free port.',
          cause,
        }),
      ),
    )
    server.listen({ port, host: hostname, backlog: BACKLOG }, () => resolve())
  })
  return { server, port: (server.address() as AddressInfo).port }
}

/**
 * Returns true for WebSocket upgrades. Some clients offer HTTP/2 (`h2c`) with every request, such as those of
 * Java and `curl --http2`; the offer is ignored. Node supports this from 22.21 and 24.9 on.
 */
function wantsSocket({ headers: { upgrade = '' } }: IncomingMessage): boolean {
  return upgrade.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket')
}
