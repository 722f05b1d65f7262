import { errorMessage, troupeError } from '@troupe/schema'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { clientAddress } from '../gate/rate-limit.ts'

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

/** Limits on open connections. */
interface ConnectionLimits {
  readonly maxConnections: number
  readonly maxConnectionsPerAddress: number
}

interface TrackedConnection {
  readonly socket: Socket
  readonly address: string
  /** Number of requests that were received completely and are not yet answered completely. */
  working: number
}

/** Connections that are counted together. */
interface ConnectionGroup {
  size: number
  /** Connections without a complete request, the longest idle one first. */
  readonly idle: Set<TrackedConnection>
}

/**
 * Limits the connections of a server, in total and per address. At a limit, a new connection replaces the one
 * that has been without a complete request for the longest time; it is refused only if all others are being
 * answered. A client that opens connections and sends nothing, or sends slowly, thus cannot lock others out.
 */
function limitConnections(server: Server, limits: ConnectionLimits): void {
  const all: ConnectionGroup = { size: 0, idle: new Set() }
  const byAddress = new Map<string, ConnectionGroup>()
  const bySocket = new WeakMap<Socket, TrackedConnection>()

  function remove(connection: TrackedConnection): void {
    if (bySocket.get(connection.socket) !== connection) return
    bySocket.delete(connection.socket)
    const group = byAddress.get(connection.address)
    for (const each of [all, group]) {
      each?.idle.delete(connection)
      if (each !== undefined) each.size -= 1
    }
    if (group?.size === 0) byAddress.delete(connection.address)
  }

  /** Ensures that one more connection fits into the group. Returns false if all others are being answered. */
  function freeSlot(group: ConnectionGroup, most: number): boolean {
    if (group.size < most) return true
    const [oldest] = group.idle
    if (oldest === undefined) return false
    remove(oldest)
    oldest.socket.destroy()
    return true
  }

  function setWorking(connection: TrackedConnection, change: 1 | -1): void {
    if (bySocket.get(connection.socket) !== connection) return
    connection.working += change
    for (const group of [all, byAddress.get(connection.address)])
      if (connection.working === 0) group?.idle.add(connection)
      else group?.idle.delete(connection)
  }

  server.on('connection', (socket: Socket) => {
    const address = clientAddress(socket.remoteAddress)
    const isAdmitted =
      freeSlot(byAddress.get(address) ?? { size: 0, idle: new Set() }, limits.maxConnectionsPerAddress) &&
      freeSlot(all, limits.maxConnections)
    if (!isAdmitted) return socket.destroy()
    const connection: TrackedConnection = { socket, address, working: 0 }
    // The group may have been removed together with the connection that was replaced.
    const group = byAddress.get(address) ?? { size: 0, idle: new Set() }
    byAddress.set(address, group)
    for (const each of [all, group]) {
      each.size += 1
      each.idle.add(connection)
    }
    bySocket.set(socket, connection)
    return socket.once('close', () => remove(connection))
  })

  server.on('request', (request, response) => {
    const connection = bySocket.get(request.socket)
    if (connection === undefined) return
    let isWorking = false
    const begin = (): void => {
      isWorking = true
      setWorking(connection, 1)
    }
    if (hasBody(request)) request.once('end', begin)
    else begin()
    response.once('close', () => {
      request.off('end', begin)
      if (isWorking) setWorking(connection, -1)
    })
  })

  server.on('upgrade', (request) => {
    const connection = bySocket.get(request.socket)
    // An upgraded connection counts as busy while it is open.
    if (connection !== undefined) setWorking(connection, 1)
  })
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
