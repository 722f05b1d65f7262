import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { errorMessage } from '@troupe/schema'
import type { Channel, ChannelEnd } from '../headend.ts'
import { jsonProblem } from '../json-problem.ts'

/** A transport of MCP over whatever carries texts both ways, and what brings it the client's. */
export interface ChannelTransport {
  readonly transport: Transport
  readonly incoming: ChannelEnd
}

/** One message is one text of JSON. */
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
    incoming: {
      receive(text) {
        const message = parse(text)
        if (message instanceof Error) transport.onerror?.(message)
        else transport.onmessage?.(message)
      },
      end,
    },
  }
}

function parse(text: string): JSONRPCMessage | Error {
  const problem = jsonProblem(text)
  if (problem !== undefined) return new TypeError(`The message cannot be read: ${problem}`)
  try {
    return JSON.parse(text) as JSONRPCMessage
  } catch (thrown) {
    return new TypeError(`The message is not JSON: ${errorMessage(thrown)}`)
  }
}
