import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { clientAddress } from '../gate/client-address.ts'

/** Limits on open connections. */
export interface ConnectionLimits {
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
export function limitConnections(server: Server, limits: ConnectionLimits): void {
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
