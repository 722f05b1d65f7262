import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { createTeamServer } from '../servers/team-server.ts'

/** A server on a free port of this machine that ends with the test. */
export interface TestServer {
  readonly url: string
  /** Requests so far, as `POST /mcp tools/list`. */
  readonly requests: readonly string[]
  /** Stops listening and cuts every connection. */
  stop(): Promise<void>
}

/** Answers a request, now or later. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

export async function startHttp(answer: Answer, path = '/mcp'): Promise<TestServer> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push([request.method, request.url, request.headers['mcp-method']].join(' ').trim())
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(stop)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, requests, stop }
}

/** Starts the team server over Streamable HTTP, in both protocol eras. */
export function startTeam(options: { readonly legacy?: 'stateless' | 'reject' } = {}): Promise<TestServer> {
  const handler = createMcpHandler(({ era }) => {
    const server = createTeamServer(era)
    server.registerTool(
      'announce',
      { description: 'Says that tools changed.', inputSchema: z.object({}) },
      () => {
        handler.notify.toolsChanged()
        return { content: [] }
      },
    )
    return server
  }, options)
  return startHttp(toNodeHandler(handler) as Answer)
}

/** Starts a server of the older protocol with sessions; `forget` drops all of them. */
export async function startSessions(): Promise<TestServer & { forget(): void; open(): number }> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const server = await startHttp(async (request, response) => {
    const id = request.headers['mcp-session-id']
    const transport = typeof id === 'string' ? sessions.get(id) : await openSession(sessions)
    if (transport === undefined) response.writeHead(404).end('no such session')
    else await transport.handleRequest(request, response)
  })
  return { ...server, forget: () => sessions.clear(), open: () => sessions.size }
}

async function openSession(
  sessions: Map<string, StreamableHTTPServerTransport>,
): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  })
  await olderServer().connect(transport)
  return transport
}

/** Starts a server of the oldest HTTP transport: an event stream for answers, and a separate address for requests. */
export async function startOlderSse(): Promise<TestServer> {
  const sessions = new Map<string, SSEServerTransport>()
  return startHttp(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (request.method === 'GET' && pathname === '/sse') return openStream(sessions, response)
    const transport = sessions.get(searchParams.get('sessionId') ?? '')
    if (request.method !== 'POST' || transport === undefined) response.writeHead(405).end()
    else await transport.handlePostMessage(request, response)
  }, '/sse')
}

async function openStream(
  sessions: Map<string, SSEServerTransport>,
  response: ServerResponse,
): Promise<void> {
  const transport = new SSEServerTransport('/messages', response)
  sessions.set(transport.sessionId, transport)
  await olderServer().connect(transport)
}

function olderServer(): OlderServer {
  const server = new OlderServer({ name: 'older', version: '1.0.0' })
  server.registerTool('echo', { description: 'Says it.', inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }))
  server.registerTool('wait', { description: 'Waits.' }, () => new Promise(() => undefined))
  return server
}

/** Reads the JSON-RPC message of a request. */
export async function readMessage(request: IncomingMessage): Promise<{
  readonly id?: number | string
  readonly method?: string
  readonly params: Record<string, unknown>
}> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return JSON.parse(text || '{}') as never
}
