import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorMessage, troupeError } from '@troupe/schema'
import { limitConnections } from './limit-connections.ts'
import type { FullLimits } from './server-options.ts'

/** Longer than clients and proxies keep a connection that is not used, so that none is closed while a request is on its way. */
const KEEP_ALIVE_MS = 75_000
/** Interval at which late requests are ended, in ms. Node's default is 30 s. */
const CHECK_MS = 500
/** Connections that may wait to be taken, as far as the system allows. */
const BACKLOG = 4096

/** Listens, with bounds for what clients may keep open; who answers is added to the server at once. Throws `usage_invalid` where the port cannot be had. */
export async function listen({
  hostname,
  port,
  limits,
}: {
  readonly hostname: string
  readonly port: number
  readonly limits: FullLimits
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
        troupeError('usage_invalid', `Nothing can listen on ${hostname}:${port}: ${errorMessage(cause)}`, {
          fix: 'End what listens there, or choose another port; 0 is a free one.',
          cause,
        }),
      ),
    )
    server.listen({ port, host: hostname, backlog: BACKLOG }, () => resolve())
  })
  return { server, port: (server.address() as AddressInfo).port }
}

/** Clients that would rather speak HTTP/2 (`h2c`: those of Java, curl --http2) offer it with every request; who does not take it answers as ever. Heeded by Node from 22.21 and 24.9 on. */
function wantsSocket({ headers: { upgrade = '' } }: IncomingMessage): boolean {
  return upgrade.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket')
}
