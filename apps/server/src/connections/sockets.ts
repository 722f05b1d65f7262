import {
  failureFor,
  isFailure,
  retryHeader,
  statusOf,
  type Caller,
  type Headend,
  type HeadendSocket,
} from '@troupe/headends'
import { failure, type Failure } from '@troupe/schema'
import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import type { AccessCheck } from '../gate/access-check.ts'
import { clientAddress, type RateLimit } from '../gate/rate-limit.ts'
import type { Principals } from '../gate/principals.ts'
import type { Identity } from '../identity/roles.ts'

/** The WebSocket connections of a server. */
export interface ServedSockets {
  /** Closes all connections. */
  close(): void
  /** Terminates the remaining connections. */
  cut(): void
}

/**
 * Accepts WebSocket connections for headends with a socket endpoint. They are checked like requests before
 * they are opened.
 */
export function serveSockets(
  server: Server,
  {
    headends,
    check,
    principals,
    rateLimit,
    maxBytes,
    isEnding,
    onError,
  }: {
    readonly headends: readonly Headend[]
    readonly check: AccessCheck
    readonly principals: Principals
    /** Counts the opening of a connection, and each message. */
    readonly rateLimit: RateLimit
    /** Maximum size of a message. */
    readonly maxBytes: number
    isEnding(): boolean
    onError?(thrown: unknown): void
  },
): ServedSockets {
  const sockets = headends.flatMap((headend) => headend.socket ?? [])
  const protocols = new Set(sockets.map(({ protocol }) => protocol))
  const handleProtocols = (offered: Set<string>): string | false =>
    [...offered].find((protocol) => protocols.has(protocol)) ?? false
  const socketServer = new WebSocketServer({ noServer: true, maxPayload: maxBytes, handleProtocols })

  async function accept(request: IncomingMessage): Promise<AcceptedSocket | Failure> {
    const { host, origin } = request.headers
    const refused = check({ host, origin })
    if (refused !== undefined) return refused
    const headers = new Headers(request.headers as Record<string, string>)
    const address = clientAddress(request.socket.remoteAddress)
    const caller = await principals.identify(headers, address, request)
    if (caller === undefined) return failure('token_required', 'The request has no valid token.')
    if (isFailure(caller)) return caller
    if (caller.role === 'viewer') return failure('role_required', 'A viewer can only read.')
    if (isEnding()) return failure('server_busy', 'The server is shutting down.')
    const [path = ''] = (request.url ?? '').split('?', 1)
    const served = sockets.find((socket) => socket.path === path || `${socket.path}/` === path)
    if (served === undefined) return failure('route_unknown', 'No WebSocket is served at this path.')
    return rateLimit(caller.principal) ?? { served, identity: caller }
  }

  server.on('upgrade', (request, stream, head) => {
    // A client may disconnect while its token is verified.
    stream.on('error', () => stream.destroy())
    void accept(request)
      .catch((thrown: unknown) => {
        onError?.(thrown)
        return failureFor(undefined, thrown)
      })
      .then((accepted) => {
        if (isFailure(accepted)) return refuse(stream, accepted)
        const { served, identity } = accepted
        socketServer.handleUpgrade(request, stream, head, (socket) => {
          const caller = { ...identity, cut: () => socket.terminate() }
          attach(socket, { served, caller, tooMany: () => rateLimit(identity.principal) })
        })
      })
  })
  return {
    close() {
      for (const socket of socketServer.clients) socket.close(1001, 'The server is shutting down.')
    },
    cut() {
      for (const socket of socketServer.clients) socket.terminate()
    },
  }
}

/** A connection to open, with its caller. */
interface AcceptedSocket {
  readonly served: HeadendSocket
  readonly identity: Identity
}

/** Unread bytes above which a client is disconnected. */
const MOST_UNREAD = 1024 * 1024

/** WebSocket close code 1013, "try again later". */
const COME_BACK = 1013

/** Connects a socket to its headend. Closes it if the client exceeds the rate limit. */
function attach(
  socket: WebSocket,
  {
    served,
    caller,
    tooMany,
  }: {
    readonly served: HeadendSocket
    readonly caller: Caller
    /** Counts a message. Returns a failure if there were too many. */
    tooMany(): Failure | undefined
  },
): void {
  const { receive, end } = served.open(
    {
      send(text) {
        if (socket.bufferedAmount > MOST_UNREAD) socket.terminate()
        else socket.send(text)
      },
      close: () => socket.close(),
    },
    caller,
  )
  socket.on('message', (data, isBinary) => {
    if (isBinary) return
    const limited = tooMany()
    if (limited === undefined) receive(toText(data))
    else socket.close(COME_BACK, limited.code)
  })
  socket.once('close', end)
  socket.on('error', () => {
    // The `close` event follows.
  })
}

function toText(data: Buffer | ArrayBuffer | readonly Buffer[]): string {
  if (data instanceof ArrayBuffer) return Buffer.from(data).toString('utf8')
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.concat(data).toString('utf8')
}

function refuse(stream: Duplex, reason: Failure): void {
  const status = statusOf(reason)
  const headers = { connection: 'close', 'content-length': '0', ...retryHeader(reason) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${lines.join('')}\r\n`)
}
