import { randomUUID } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Host } from '@troupe/host'
import { createMetaMcp, createMetaMcpHandler } from '@troupe/meta-mcp'
import type { RunEvent } from '@troupe/schema'
import { fakeClock } from '@troupe/testkit/internal'
import { onTestFinished } from 'vitest'
import { listen } from '../src/mcp/serve-mcp.ts'

/** The two protocol eras in which clients initialize. */
export type Era = 'legacy' | 'modern'

/** Serves the exported tools of an agent's card over HTTP. The server and the host are closed after the test. */
export async function serveExports(
  host: Host,
  agent: string,
  onEvent: (event: RunEvent) => void = () => undefined,
): Promise<string> {
  const meta = createMetaMcp({
    agent: host.definition(agent),
    runner: { run: (name, input, options = {}) => host.run(name, input, { ...options, onEvent }) },
    newContextId: randomUUID,
    clock: fakeClock(),
  })
  const handler = createMetaMcpHandler(meta, { newSessionId: randomUUID })
  const server = await listen(handler.fetch, { port: 0, onError: () => undefined })
  onTestFinished(async () => {
    await handler.close()
    await server.close()
    await host.close()
  })
  return server.url
}

/** Connects a client that is closed after the test. `person` answers its elicitations; without it the client does not support them. */
export async function connectClient(
  url: string,
  { era = 'legacy', person }: { readonly era?: Era; readonly person?: (message: string) => string } = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: person === undefined ? {} : { elicitation: {} },
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  )
  if (person !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => ({
      action: 'accept',
      content: { answer: person(params.message) },
    }))
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  onTestFinished(() => client.close())
  return client
}
