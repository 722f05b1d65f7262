import type { Readable, Writable } from 'node:stream'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { MetaMcp } from './create-meta-mcp.ts'

/** One connection over a pair of streams. */
export interface StdioConnection {
  /** Resolves when the client has left, or `close` was called. Calls in flight are cancelled then. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Serves an agent to the one client at the other end of the streams (D24), in either protocol era. Nothing but messages of the protocol is written to `output`. */
export function serveMetaMcpStdio(
  meta: Pick<MetaMcp, 'createServer'>,
  {
    input,
    output,
    onError,
  }: {
    readonly input: Readable
    readonly output: Writable
    /** Told of messages that cannot be read, and of failures of the streams. */
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
