import { WebStandardStreamableHTTPServerTransport, type Server } from '@modelcontextprotocol/server'

/** Maximum number of sessions. The least recently used one is closed. */
const MAX_SESSIONS = 1000

/** Sessions of clients with the older protocol, which send a session id with every request. */
export interface LegacySessions {
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

/**
 * Creates the session handler, with one server and transport per session. The SDK's stateless mode could not
 * deliver cancellations to a call, so that the agent would continue to run.
 */
export function createLegacySessions({
  createServer,
  newSessionId,
}: {
  createServer(): Server
  newSessionId(): string
}): LegacySessions {
  // in order of last use
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

  async function open(request: Request): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: newSessionId,
      onsessioninitialized: (id) => addSession(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await createServer().connect(transport)
    const response = await transport.handleRequest(request)
    // the transport has rejected a first request that is not `initialize`
    if (transport.sessionId === undefined || !sessions.has(transport.sessionId)) await transport.close()
    return response
  }

  async function addSession(id: string, transport: WebStandardStreamableHTTPServerTransport): Promise<void> {
    sessions.set(id, transport)
    const [oldest] = sessions
    if (sessions.size <= MAX_SESSIONS || oldest === undefined) return
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

/** Returns the response that makes a client open a new session. */
function unknownSession(): Response {
  const error = { code: -32_001, message: 'Session not found' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 })
}
