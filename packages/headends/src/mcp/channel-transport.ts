import { parseJSONRPCMessage, ProtocolErrorCode, type Transport } from '@modelcontextprotocol/server'
import { errorMessage, isJsonObject } from '@troupe/schema'
import type { Channel } from '../headend/headend.ts'
import { jsonProblem } from '../request/read-json.ts'

/** An MCP transport over a text channel, with functions for the texts and the end of the client. */
export interface ChannelTransport {
  readonly transport: Transport
  /** Accepts a text of the client: one message of JSON. Returns the error response if it is not a message. */
  accept(text: string): RefusedText | undefined
  /** Called when the client has disconnected. */
  end(): void
}

/** A JSON-RPC error for a text that is not a message. */
interface RefusedText {
  readonly jsonrpc: '2.0'
  readonly id: string | number | null
  readonly error: { readonly code: number; readonly message: string }
}

/** Creates a transport for a new channel. */
export function createChannelTransport(channel: Channel, sessionId?: string): ChannelTransport {
  let isOver = false
  const end = (): void => {
    if (isOver) return
    isOver = true
    transport.onclose?.()
  }
  const transport: Transport = {
    ...(sessionId === undefined ? {} : { sessionId }),
    start: () => Promise.resolve(),
    send: (message) => Promise.resolve(channel.send(JSON.stringify(message))),
    close: () => {
      channel.close()
      end()
      return Promise.resolve()
    },
  }
  return {
    transport,
    accept(text) {
      const problem = jsonProblem(text)
      if (problem !== undefined)
        return refuse(ProtocolErrorCode.ParseError, { message: `The message cannot be read: ${problem}.` })
      let json: unknown
      try {
        json = JSON.parse(text)
      } catch (thrown) {
        return refuse(ProtocolErrorCode.ParseError, {
          message: `The message is not valid JSON: ${errorMessage(thrown)}`,
        })
      }
      const message = toMessage(json)
      if (message === undefined)
        return refuse(ProtocolErrorCode.InvalidRequest, {
          message: 'The message is not a single JSON-RPC 2.0 message.',
          json,
        })
      transport.onmessage?.(message)
      return undefined
    },
    end,
  }
}

function toMessage(json: unknown): ReturnType<typeof parseJSONRPCMessage> | undefined {
  try {
    return parseJSONRPCMessage(json)
  } catch {
    // All invalid messages get the same error.
    return undefined
  }
}

function refuse(
  code: ProtocolErrorCode,
  { message, json }: { readonly message: string; readonly json?: unknown },
): RefusedText {
  const requestId = isJsonObject(json) ? json['id'] : undefined
  const id = typeof requestId === 'string' || typeof requestId === 'number' ? requestId : null
  return { jsonrpc: '2.0', id, error: { code, message } }
}
