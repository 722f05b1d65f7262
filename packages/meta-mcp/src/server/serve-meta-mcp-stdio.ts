import type { Readable, Writable } from 'node:stream'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { MetaMcp } from './create-meta-mcp.ts'

/** A connection over a pair of streams. */
export interface StdioConnection {
  /** Resolves when the client disconnects or `close` is called. Pending calls are then cancelled. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/**
 * Serves an agent to one client over a pair of streams, in both protocol generations. Writes nothing but
 * protocol messages to `output`.
 */
export function serveMetaMcpStdio(
  meta: Pick<MetaMcp, 'createServer'>,
  {
    input,
    output,
    onError,
  }: {
    readonly input: Readable
    readonly output: Writable
    /** Called with unreadable messages and stream errors. */
    onError?(error: Error): void
  },
): StdioConnection {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const handle = serveStdio(() => meta.createServer(), {
    transport: new StdioServerTransport(input, output),
    ...(onError === undefined ? {} : { onerror: onError }),
  })
  const end = (): void => resolve()
  for (const event of ['end', 'close', 'error']) input.once(event, end)
  return {
    closed,
    close: async () => {
      await handle.close()
      end()
    },
  }
}
