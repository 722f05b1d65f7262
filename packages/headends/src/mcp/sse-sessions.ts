import type { Server } from '@modelcontextprotocol/server'
import { failure } from '@troupe/schema'
import { errorResponse } from '../error-response.ts'
import { eventStream } from '../event-stream.ts'
import type { Caller, ChannelEnd, HeadendContext } from '../headend.ts'
import type { EventSource } from '../event-source.ts'
import { createOutbox } from '../outbox.ts'
import { sseBlock } from '../sse-block.ts'
import { createChannelTransport } from './channel-transport.ts'

/** Clients of the oldest way over HTTP: a stream that stays open for what the server says, and a request for each message of theirs. */
export interface SseSessions {
  /** Opens a stream. */
  open(caller: Caller): Promise<Response>
  /** Takes a message for the stream that the address names. */
  receive(request: Request, caller: Caller): Promise<Response>
  close(): Promise<void>
}

interface Session {
  readonly principal: string
  readonly incoming: ChannelEnd
  readonly server: Server
}

/** No sessions yet. `path` is where both kinds of request come to. */
export function createSseSessions(
  { newId, clock }: Pick<HeadendContext, 'newId' | 'clock'>,
  { path, createServer }: { readonly path: string; createServer(caller: Caller): Server },
): SseSessions {
  const sessions = new Map<string, Session>()
  return {
    async open(caller) {
      const id = newId('sse')
      const outbox = createOutbox({ dropped: () => caller.cut() })
      const { transport, incoming } = createChannelTransport(
        {
          send: (text) => outbox.push(sseBlock(text, { event: 'message' })),
          close: () => outbox.end(),
        },
        id,
      )
      const server = createServer(caller)
      outbox.push(sseBlock(`${path}?sessionId=${id}`, { event: 'endpoint' }))
      await server.connect(transport)
      sessions.set(id, { principal: caller.principal, incoming, server })
      const leave = (): void => {
        sessions.delete(id)
        outbox.close()
        incoming.end()
      }
      return eventStream(closing(outbox, leave), { clock, caller })
    },
    async receive(request, { principal }) {
      const id = new URL(request.url).searchParams.get('sessionId')
      const session = sessions.get(id ?? '')
      if (session === undefined || session.principal !== principal)
        return errorResponse(failure('session_unknown', 'There is no such stream.', 'Open one with GET.'))
      session.incoming.receive(await request.text())
      return new Response('Accepted', { status: 202 })
    },
    async close() {
      const open = [...sessions.values()]
      sessions.clear()
      await Promise.all(open.map(({ server }) => server.close()))
    },
  }
}

/** The same events; who closes them is told. */
function closing(events: EventSource, close: () => void): EventSource {
  return {
    read: () => events.read(),
    get isOver() {
      return events.isOver
    },
    onReady: (listener) => events.onReady(listener),
    close,
  }
}
