import { SdkError, SdkErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/client'
import { CellMap, isJsonObject, type JsonObject, type StopSource } from '@troupe/schema'

/** Far above the ids that the SDK counts from 0, and still a number that every server can send back. */
const FIRST_ID = 1_000_000_000

/** One call of a tool that goes past the SDK. */
export interface DirectCall {
  readonly name: string
  readonly args: JsonObject
  readonly stop: StopSource
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

/** What the calls are sent by. */
export interface DirectWire {
  /** What the SDK puts into the `_meta` of every request. */
  readonly envelope: JsonObject | undefined
  send(message: JSONRPCMessage): Promise<void>
}

/**
 * Calls of tools over a pipe, written and read here: the SDK's way through its schemas, timers and signals takes several times as long. Only what it would
 * pass on unchanged is used as it is; every other answer is given to it after all (see `StdioTransport.answer`).
 */
export class DirectCalls {
  readonly #wire: DirectWire
  readonly #waiting = new CellMap<number, Waiting>()
  #nextId = FIRST_ID

  constructor(wire: DirectWire) {
    this.#wire = wire
  }

  /** The answer of the server; undefined: the call was stopped first. Rejects when the connection ends. */
  call(call: DirectCall): Promise<RawAnswer | undefined> {
    if (call.stop.reason !== undefined) return Promise.resolve(undefined)
    const id = (this.#nextId += 1)
    return new Promise((resolve, reject) => {
      const off = call.stop.onStop(() => this.#cancel(id))
      this.#waiting.set(id, { call, off, resolve, reject })
      const { name, args } = call
      // as text, which is the form that servers of the SDK try first: a number takes them longer
      const meta = { ...this.#wire.envelope, progressToken: String(id) }
      const params = { name, arguments: args, ['_meta']: meta }
      this.#send({ jsonrpc: '2.0', id, method: 'tools/call', params }, id)
    })
  }

  /** True for a message that belongs to one of these calls. */
  take(message: JSONRPCMessage): boolean {
    if (!('method' in message)) return this.#settle(message as unknown as JsonObject)
    if (message.method !== 'notifications/progress' || !isJsonObject(message.params)) return false
    const { progressToken, ...params } = message.params
    const waiting = this.#waiting.get(toId(progressToken))
    waiting?.call.onProgress(params)
    return waiting !== undefined
  }

  /** The connection has ended: what waits is told so. */
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

/** The call that a server tells of. Some send a number for the text they were given. */
function toId(progressToken: unknown): number {
  return typeof progressToken === 'string' ? Number(progressToken) : (progressToken as number)
}
