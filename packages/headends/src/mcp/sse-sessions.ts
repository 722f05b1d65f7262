import type { Server } from '@modelcontextprotocol/server'
import { failure } from '@troupe/schema'
import { errorResponse } from '../headend/errors.ts'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import { readText } from '../request/read-json.ts'
import { createSseBuffer, eventStream, sseBlock, withClose } from '../sse/event-stream.ts'
import { createChannelTransport, type ChannelTransport } from './channel-transport.ts'

/**
 * Sessions of the older HTTP+SSE transport: an open stream for the messages of the server, and one request
 * per message of the client.
 */
interface SseSessions {
  /** Opens the stream of a new session. */
  open(caller: Caller): Promise<Response>
  /** Passes a message to the session that the URL names. */
  receive(request: Request, caller: Caller): Promise<Response>
  close(): Promise<void>
}

interface SseSession {
  readonly principal: string
  readonly accept: ChannelTransport['accept']
  readonly server: Server
}

/** Creates an empty set of sessions. Both kinds of request use `path`. */
export function createSseSessions(
  { newId, clock }: Pick<HeadendContext, 'newId' | 'clock'>,
  { path, createServer }: { readonly path: string; createServer(caller: Caller): Server },
): SseSessions {
  const sessions = new Map<string, SseSession>()
  return {
    async open(caller) {
      const id = newId('sse')
      const buffer = createSseBuffer({ onOverflow: () => caller.cut() })
      const { transport, accept, end } = createChannelTransport(
        {
          send: (text) => buffer.push(sseBlock(text, { event: 'message' })),
          close: () => buffer.end(),
        },
        id,
      )
      const server = createServer(caller)
      buffer.push(sseBlock(`${path}?sessionId=${id}`, { event: 'endpoint' }))
      await server.connect(transport)
      sessions.set(id, { principal: caller.principal, accept, server })
      const endSession = (): void => {
        sessions.delete(id)
        buffer.close()
        end()
      }
      return eventStream(withClose(buffer, endSession), { clock, caller })
    },
    async receive(request, { principal }) {
      const id = new URL(request.url).searchParams.get('sessionId')
      const session = sessions.get(id ?? '')
      if (session === undefined || session.principal !== principal)
        return errorResponse(failure('session_unknown', 'The stream does not exist.', 'Open one with GET.'))
      const text = await readText(request)
      if (!text.ok) return errorResponse(text.reason)
      const refusal = session.accept(text.value)
      return refusal === undefined
        ? new Response('Accepted', { status: 202 })
        : Response.json(refusal, { status: 400 })
    },
    async close() {
      const open = [...sessions.values()]
      sessions.clear()
      await Promise.all(open.map(({ server }) => server.close()))
    },
  }
}
