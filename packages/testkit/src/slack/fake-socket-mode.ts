import type { Server } from 'node:http'
import { performance } from 'node:perf_hooks'
import { isJsonObject, type JsonObject } from '@troupe/schema'
import { textOf } from './method-call.ts'
import { WebSocketServer, type WebSocket } from 'ws'

/** The app's acknowledgement of an envelope. */
export interface SocketAck {
  readonly envelopeId: string
  /** Time until it arrived, in ms. */
  readonly ms: number
  readonly payload: JsonObject
}

/** Sockets of Socket Mode. */
export interface FakeSocketMode {
  /**
   * Sends an envelope over one of the open sockets. Resolves when it is acknowledged; never resolves if the
   * app has disconnected.
   */
  send(type: string, payload: JsonObject): Promise<SocketAck>
  /** Resolves when an app is connected. */
  connected(): Promise<void>
  /** Number of sockets opened so far. */
  readonly opened: number
  /** Asks the apps to reconnect, as Slack does every few hours. Resolves at the next connection. */
  recycle(): Promise<void>
  close(): void
}

/** Accepts sockets at `/socket` of a server. `check` throws if Slack would not send the payload. */
export function createFakeSocketMode(server: Server, check: (payload: JsonObject) => void): FakeSocketMode {
  const sockets = new WebSocketServer({ server, path: '/socket' })
  const open: WebSocket[] = []
  const waiting = new Map<string, (payload: JsonObject) => void>()
  const arrivals: (() => void)[] = []
  let opened = 0
  let envelopes = 0

  sockets.on('connection', (socket) => {
    opened += 1
    open.push(socket)
    socket.on('close', () => void open.splice(open.indexOf(socket), 1))
    socket.on('message', (data: Buffer) => receive(data.toString()))
    socket.send(JSON.stringify({ type: 'hello', num_connections: open.length }))
    for (const arrived of arrivals.splice(0)) arrived()
  })

  function receive(text: string): void {
    const message: unknown = JSON.parse(text)
    if (!isJsonObject(message)) return
    const id = textOf(message, 'envelope_id') ?? ''
    waiting.get(id)?.(isJsonObject(message['payload']) ? message['payload'] : {})
    waiting.delete(id)
  }

  const connected = async (): Promise<void> => {
    if (open.length === 0) await new Promise<void>((resolve) => void arrivals.push(resolve))
  }

  return {
    connected,
    get opened() {
      return opened
    },
    async send(type, payload) {
      check(payload)
      await connected()
      envelopes += 1
      const envelopeId = `envelope-${envelopes}`
      const sentAt = performance.now()
      const acknowledged = new Promise<JsonObject>((resolve) => void waiting.set(envelopeId, resolve))
      open[envelopes % open.length]?.send(
        JSON.stringify({
          type,
          envelope_id: envelopeId,
          payload,
          accepts_response_payload: type !== 'events_api',
        }),
      )
      const answer = await acknowledged
      return { envelopeId, ms: performance.now() - sentAt, payload: answer }
    },
    async recycle() {
      for (const socket of open)
        socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }))
      await new Promise<void>((resolve) => void arrivals.push(resolve))
    },
    close() {
      for (const socket of open) socket.terminate()
      sockets.close()
    },
  }
}
