import type { AddressInfo } from 'node:net'
import { resultText } from '@troupe/schema'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer, type ServerOptions } from 'ws'
import { call, leaseOf, testPool, toolNamed } from './support/test-pool.ts'

const text = (value: string) => ({ content: [{ type: 'text', text: value }] })

interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: {
    readonly name?: string
    readonly protocolVersion?: string
    readonly arguments?: { readonly text?: string }
  }
}

/** Starts an MCP server over WebSockets. Its tools are `echo`, `large`, `junk` and `leave`. */
async function startServer(options: ServerOptions = {}): Promise<{
  readonly url: string
  readonly server: WebSocketServer
  readonly headers: (string | undefined)[]
}> {
  const headers: (string | undefined)[] = []
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options })
  server.on('connection', (socket, request) => {
    headers.push(request.headers['x-key'] as string | undefined)
    socket.on('message', (data) => {
      const { id, method, params = {} } = JSON.parse((data as Buffer).toString()) as Message
      const send = (result: object): void => socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }))
      if (method === 'initialize')
        send({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'ws', version: '1' },
        })
      else if (method === 'tools/list')
        send({
          tools: ['echo', 'large', 'junk', 'leave'].map((name) => ({
            name,
            inputSchema: { type: 'object' },
          })),
        })
      else if (params.name === 'echo') send(text(params.arguments?.text ?? ''))
      else if (params.name === 'large') send(text('x'.repeat(2 * 1024 * 1024)))
      else if (params.name === 'junk') socket.send('no JSON')
      else if (params.name === 'leave') socket.terminate()
    })
  })
  await new Promise<void>((resolve) => void server.once('listening', resolve))
  onTestFinished(async () => {
    for (const socket of server.clients) socket.terminate()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?key=s3cret`, server, headers }
}

describe('a server over a WebSocket', () => {
  it('a server with a ws URL lists its tools and answers over a WebSocket, which gets its headers', async () => {
    const { url, headers } = await startServer()
    const lease = await leaseOf(testPool(), { url, headers: { 'X-Key': 'k' } })
    expect(toolNamed(lease, 'echo')).toMatchObject({ source: 'mcp', server: 'tm' })
    expect(resultText(await call(lease, 'echo', { text: 'hi\u2028' }))).toBe('hi\u2028')
    expect(headers).toEqual(['k'])
  })

  it('a server that does not know the subprotocol of MCP is connected without one', async () => {
    const { url, headers } = await startServer({ handleProtocols: () => false })
    const lease = await leaseOf(testPool(), { url })
    expect(resultText(await call(lease, 'echo', { text: 'hi' }))).toBe('hi')
    expect(headers.length).toBeGreaterThan(0)
  })

  it.each(['junk', 'leave'])(
    'a call whose answer cannot be read fails, and the next call gets a new connection: %s',
    async (tool) => {
      const { url } = await startServer()
      const lease = await leaseOf(testPool(), { url })
      expect(await call(lease, tool)).toMatchObject({ outcome: 'failed' })
      expect(resultText(await call(lease, 'echo', { text: 'hi' }))).toBe('hi')
    },
  )

  it('a message over the size limit fails its call', async () => {
    const { url } = await startServer()
    const lease = await leaseOf(testPool({ maxMessageBytes: 1024 * 1024 }), { url })
    expect(await call(lease, 'large')).toMatchObject({ outcome: 'failed' })
    expect(resultText(await call(lease, 'echo', { text: 'hi' }))).toBe('hi')
  })

  it('a WebSocket that cannot be opened is a failed start, without the query of its URL', async () => {
    const { url, server } = await startServer()
    await new Promise((resolve) => server.close(resolve))
    const failed = leaseOf(testPool(), { url })
    await expect(failed).rejects.toMatchObject({ code: 'mcp_start_failed' })
    await expect(failed).rejects.toThrow('cannot be reached')
    await expect(failed).rejects.not.toThrow('s3cret')
  })
})
