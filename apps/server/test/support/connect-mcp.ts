import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'

/** The name and version that clients send. */
export const INFO = { name: 'test', version: '1.0.0' } as const

/** The kinds of clients: those of the SDK's new line in both eras, and of its old line. */
export const CLIENTS = ['modern', 'legacy', 'v1', 'sse', 'ws'] as const
export type ClientKind = (typeof CLIENTS)[number]

/** Answers a form as a user of the client does. */
export type Person = (message: string) => {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, string>>
}

export interface CallResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly isError?: boolean
  readonly structuredContent?: unknown
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** A client of one kind, closed after the test. */
export interface McpClient extends Pick<
  Client,
  | 'listTools'
  | 'getServerVersion'
  | 'listPrompts'
  | 'getPrompt'
  | 'complete'
  | 'listResources'
  | 'listResourceTemplates'
  | 'readResource'
> {
  /** Calls a tool; the default name is `One`. */
  readonly call: (args: unknown, name?: string, options?: CallOptions) => Promise<CallResult>
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly meta?: Readonly<Record<string, unknown>>
}

/** Connects to a server. With a person the client supports forms. */
export async function connectMcp(
  kind: ClientKind,
  { url }: { readonly url: string },
  {
    path = '/mcp',
    token,
    person,
  }: { readonly path?: string; readonly token?: string; readonly person?: Person } = {},
): Promise<McpClient> {
  const capabilities = person === undefined ? {} : { elicitation: {} }
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
  if (kind === 'modern' || kind === 'legacy') {
    const mode = kind === 'legacy' ? 'legacy' : { pin: '2026-07-28' }
    const client = new Client(INFO, { capabilities, versionNegotiation: { mode } })
    onTestFinished(() => client.close())
    if (person !== undefined)
      client.setRequestHandler('elicitation/create', ({ params }) => person(params.message) as never)
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${path}`), { requestInit }))
    const call: McpClient['call'] = (args, name = 'One', { signal, meta } = {}) =>
      client.callTool(
        { name, arguments: args as never, ...(meta === undefined ? {} : { _meta: meta }) },
        signal === undefined ? {} : { signal },
      ) as Promise<CallResult>
    return Object.assign(client, { call })
  }
  const client = new OldClient(INFO, { capabilities })
  onTestFinished(() => client.close())
  if (person !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message) as never)
  await client.connect(oldTransport(kind, `${url}${path}`, requestInit))
  const call: McpClient['call'] = (args, name = 'One', { signal, meta } = {}) =>
    client.callTool(
      { name, arguments: args as never, ...(meta === undefined ? {} : { _meta: meta }) },
      undefined,
      signal === undefined ? {} : { signal },
    ) as Promise<CallResult>
  return Object.assign(client as unknown as Client, { call })
}

function oldTransport(
  kind: 'v1' | 'sse' | 'ws',
  address: string,
  requestInit: RequestInit,
): OldTransport | SSEClientTransport | WebSocketClientTransport {
  if (kind === 'v1') return new OldTransport(new URL(address), { requestInit })
  if (kind === 'sse') return new SSEClientTransport(new URL(`${address}/sse`))
  return new WebSocketClientTransport(new URL(`${address.replace('http', 'ws')}/ws`))
}
