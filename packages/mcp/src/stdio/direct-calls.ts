import { SdkError, SdkErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/client'
import { CellMap, isJsonObject, type JsonObject, type CancellationToken } from '@troupe/schema'

/** Far above the ids of the SDK, which start at 0, and small enough for every server to return. */
const FIRST_ID = 1_000_000_000

/** A tool call that bypasses the SDK. */
export interface DirectCall {
  readonly name: string
  readonly args: JsonObject
  readonly stop: CancellationToken
  onProgress(params: JsonObject): void
}

/** An answer as the server sent it. */
export type RawAnswer = JsonObject & { readonly id: number }

interface Waiting {
  readonly call: DirectCall
  readonly off: () => void
  resolve(answer: RawAnswer | undefined): void
  reject(why: unknown): void
}

/** The connection that sends the calls. */
export interface DirectWire {
  /** The `_meta` that the SDK adds to every request. */
  readonly envelope: JsonObject | undefined
  send(message: JSONRPCMessage): Promise<void>
}

/**
 * Sends tool calls over a pipe and reads their answers. The schemas, timers and signals of the SDK take
 * several times as long. Only answers that the SDK would return unchanged are used directly; all others are
 * passed to the SDK (see `StdioTransport.answer`).
 */
export class DirectCalls {
  readonly #wire: DirectWire
  readonly #waiting = new CellMap<number, Waiting>()
  #nextId = FIRST_ID

  constructor(wire: DirectWire) {
    this.#wire = wire
  }

  /**
   * Resolves with the answer, or `undefined` if the call was cancelled first. Rejects when the connection
   * ends.
   */
  call(call: DirectCall): Promise<RawAnswer | undefined> {
    if (call.stop.reason !== undefined) return Promise.resolve(undefined)
    const id = (this.#nextId += 1)
    return new Promise((resolve, reject) => {
      const off = call.stop.onCancel(() => this.#cancel(id))
      this.#waiting.set(id, { call, off, resolve, reject })
      const { name, args } = call
      // a string is faster than a number: servers of the SDK try strings first
      const meta = { ...this.#wire.envelope, progressToken: String(id) }
      const params = { name, arguments: args, ['_meta']: meta }
      this.#send({ jsonrpc: '2.0', id, method: 'tools/call', params }, id)
    })
  }

  /** Handles a message. Returns false if it belongs to none of these calls. */
  take(message: JSONRPCMessage): boolean {
    if (!('method' in message)) return this.#settle(message as unknown as JsonObject)
    if (message.method !== 'notifications/progress' || !isJsonObject(message.params)) return false
    const { progressToken, ...params } = message.params
    const waiting = this.#waiting.get(toId(progressToken))
    waiting?.call.onProgress(params)
    return waiting !== undefined
  }

  /** Rejects all pending calls because the connection has ended. */
  end(): void {
    for (const [id, { reject }] of this.#waiting.entries()) {
      this.#forget(id)
      reject(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'))
    }
  }

  #settle(answer: JsonObject): boolean {
    const { id } = answer
    const waiting = this.#waiting.get(id as number)
    if (waiting === undefined) return typeof id === 'number' && id > FIRST_ID && id <= this.#nextId
    this.#forget(id as number)
    waiting.resolve(answer as RawAnswer)
    return true
  }

  #cancel(id: number): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#forget(id)
    waiting.resolve(undefined)
    const { envelope } = this.#wire
    const params = { requestId: id, reason: 'the call was stopped', ...(envelope && { _meta: envelope }) }
    this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, id)
  }

  #send(message: JSONRPCMessage, id: number): void {
    this.#wire.send(message).catch((thrown: unknown) => {
      const waiting = this.#waiting.get(id)
      this.#forget(id)
      waiting?.reject(thrown)
    })
  }

  #forget(id: number): void {
    this.#waiting.get(id)?.off()
    this.#waiting.delete(id)
  }
}

/** Converts a progress token to a call id. Some servers return a number for the string they received. */
function toId(progressToken: unknown): number {
  return typeof progressToken === 'string' ? Number(progressToken) : (progressToken as number)
}
