import { PROCESS_GROUPS } from '@troupe/process'
import type { Clock } from '@troupe/schema'
import { fakeClock } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StdioTransport } from '../src/stdio/stdio-transport.ts'
import { eventually } from './support/process-table.ts'
import { realClock } from './support/real-clock.ts'
import { SERVERS } from './support/test-pool.ts'

function transportTo(args: readonly string[], clock: Clock = realClock): StdioTransport {
  const transport = new StdioTransport({
    target: { kind: 'stdio', server: 'tm', command: process.execPath, args, env: {}, cwd: SERVERS },
    clock,
    maxMessageBytes: 1000,
    running: new Set(),
    containment: async () => PROCESS_GROUPS,
    warn: () => undefined,
  })
  onTestFinished(() => transport.close())
  return transport
}

describe('the stdio transport', () => {
  it('the stdio transport counts lines that are not messages', async () => {
    const transport = transportTo(['fault-stdio.mjs', 'junk'])
    await transport.start()
    await eventually('three lines', () => transport.ignoredLines >= 3)
    expect(transport.ignoredLines).toBe(3)
  })

  it('the stdio transport closes once, however often it is called, and reports that once', async () => {
    const transport = transportTo(['fault-stdio.mjs'])
    let told = 0
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's form
    transport.onclose = () => {
      told += 1
      void transport.close()
    }
    await transport.start()
    await Promise.all([transport.close(), transport.close()])
    await transport.close()
    expect(told).toBe(1)
    expect(transport.exit).toBeUndefined()
  })

  it('the stdio transport refuses messages before it starts and after it ended', async () => {
    const transport = transportTo(['fault-stdio.mjs'])
    const message = { jsonrpc: '2.0', method: 'notifications/initialized' } as const
    await expect(transport.send(message)).rejects.toMatchObject({ code: 'mcp_closed' })
    await transport.start()
    await transport.send(message)
    await transport.close()
    await expect(transport.send(message)).rejects.toMatchObject({ code: 'mcp_closed' })
  })

  it('the stdio transport refuses to queue messages for a server that does not read', async () => {
    const transport = transportTo(['-e', 'setInterval(() => undefined, 1000)'])
    const message = { jsonrpc: '2.0', method: 'x', params: { text: 'x'.repeat(500_000) } } as const
    await transport.start()
    const first = transport.send(message)
    await expect(transport.send(message)).rejects.toMatchObject({ code: 'mcp_failed' })
    await transport.close()
    await first
  })

  it('the stdio transport fails a send if the server does not continue to read in time', async () => {
    const time = fakeClock()
    const clock = {
      ...realClock,
      after: (ms: number, fn: () => void) => (ms === 10_000 ? time : realClock).after(ms, fn),
    }
    const transport = transportTo(['-e', 'setInterval(() => undefined, 1000)'], clock)
    await transport.start()
    const sent = transport.send({ jsonrpc: '2.0', method: 'x', params: { text: 'x'.repeat(500_000) } })
    const failed = sent.catch((thrown: unknown) => thrown)
    await time.advance(10_000)
    expect(await failed).toMatchObject({
      code: 'mcp_failed',
      message: 'The MCP server "tm" does not read its input.',
    })
  })
})
