import { WebStandardStreamableHTTPServerTransport, type Server } from '@modelcontextprotocol/server'

/** Sessions kept at once; the one unused for the longest makes room. */
const MOST_SESSIONS = 1000

/** Clients of the older protocol era: each opens a session and names it in every request. */
export interface LegacySessions {
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

/**
 * One server and one transport for each session. The stateless way of the SDK would do without sessions, but then nothing that a client cancels
 * reaches the call, and the agent works on for nobody.
 */
export function createLegacySessions({
  createServer,
  newSessionId,
}: {
  createServer(): Server
  newSessionId(): string
}): LegacySessions {
  // in the order of their last use
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

  async function open(request: Request): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: newSessionId,
      onsessioninitialized: (id) => keep(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await createServer().connect(transport)
    const response = await transport.handleRequest(request)
    // a first request that is no opening has been refused
    if (transport.sessionId === undefined || !sessions.has(transport.sessionId)) await transport.close()
    return response
  }

  async function keep(id: string, transport: WebStandardStreamableHTTPServerTransport): Promise<void> {
    sessions.set(id, transport)
    const [oldest] = sessions
    if (sessions.size <= MOST_SESSIONS || oldest === undefined) return
    sessions.delete(oldest[0])
    await oldest[1].close()
  }

  return {
    fetch: async (request) => {
      const id = request.headers.get('mcp-session-id')
      if (id === null) return open(request)
      const transport = sessions.get(id)
      if (transport === undefined) return unknownSession()
      sessions.delete(id)
      sessions.set(id, transport)
      return transport.handleRequest(request)
    },
    close: async () => {
      const open = [...sessions.values()]
      sessions.clear()
      await Promise.all(open.map((transport) => transport.close()))
    },
  }
}

/** What tells a client to open a new session. */
function unknownSession(): Response {
  const error = { code: -32_001, message: 'Session not found' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 })
}
