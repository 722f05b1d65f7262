import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { isJsonObject } from '@troupe/schema'
import { WebSocket, type RawData } from 'ws'
import { MessageMeter } from '../messages/message-meter.ts'
import type { HttpTarget } from '../target/server-target.ts'

/** Options of `WebSocketTransport`. */
interface WebSocketTransportOptions {
  readonly target: HttpTarget
  /** A larger message ends the connection. */
  readonly maxMessageBytes: number
  /** Name of the subprotocol to ask for. Default: none. */
  readonly subprotocol?: string
}

/**
 * MCP over a WebSocket, which the specification does not define but some servers offer: each text frame is one
 * message. Redirects are not followed.
 */
export class WebSocketTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage'] | undefined

  readonly #options: WebSocketTransportOptions
  #socket: WebSocket | undefined

  constructor(options: WebSocketTransportOptions) {
    this.#options = options
  }

  /** Connects. Rejects with the error of the handshake. */
  start(): Promise<void> {
    const { target, maxMessageBytes, subprotocol } = this.#options
    const socket = new WebSocket(target.url, subprotocol === undefined ? [] : [subprotocol], {
      headers: { ...target.headers },
      maxPayload: maxMessageBytes,
      perMessageDeflate: false,
    })
    this.#socket = socket
    socket.on('message', (data) => this.#read(data))
    socket.on('close', () => this.onclose?.())
    return new Promise((resolve, reject) => {
      socket.once('open', resolve)
      socket.on('error', (error) => {
        // The form in which `fetch` reports that a server cannot be reached.
        reject('code' in error ? new TypeError(error.message, { cause: error }) : error)
        this.onerror?.(error)
      })
    })
  }

  /** Sends a message. Rejects if the connection is closed. */
  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = this.#socket
      if (socket === undefined) reject(new Error('The connection is not open.'))
      else socket.send(JSON.stringify(message), (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Ends the connection without waiting for the server. */
  async close(): Promise<void> {
    this.#socket?.terminate()
  }

  #read(data: RawData): void {
    // Each message is one buffer, unless `binaryType` is set.
    const bytes = data as Buffer
    const message = parseMessage(bytes, this.#options.maxMessageBytes)
    if (!(message instanceof Error)) {
      this.onmessage?.(message)
      return
    }
    // Without the message its call would wait for its time limit.
    this.onerror?.(message)
    this.#socket?.terminate()
  }
}

/** Parses a message, or returns why it cannot be used. */
function parseMessage(bytes: Buffer, maxBytes: number): JSONRPCMessage | Error {
  const meter = new MessageMeter(maxBytes)
  meter.add(bytes)
  if (meter.excess !== undefined) return new Error(`A message ${meter.excess}.`)
  try {
    const message: unknown = JSON.parse(bytes.toString('utf8'))
    return isJsonObject(message) ? (message as JSONRPCMessage) : new Error('A message is not an object.')
  } catch (error) {
    return new Error('A message is not JSON.', { cause: error })
  }
}
