import { randomUUID } from 'node:crypto'
import { createMetaMcpHandler, type MetaMcp } from '@troupe/meta-mcp'
import type { CommandContext } from '../terminal/context.ts'
import { waitForStop } from '../terminal/wait-for-stop.ts'
import { listen } from './listen.ts'
import { warn } from './print-serving.ts'

/** Serves an agent over HTTP on this machine until the program is stopped. Calls `onReady` with the URL. */
export async function serveOverHttp(
  meta: MetaMcp,
  { port, onReady }: { readonly port: number; onReady(url: string): void },
  context: CommandContext,
): Promise<void> {
  const onError = ({ message }: Error): void => warn(message, context)
  const handler = createMetaMcpHandler(meta, { newSessionId: randomUUID, onError })
  const server = await listen(handler.fetch, { port, onError })
  try {
    onReady(server.url)
    await waitForStop(context.stop)
  } finally {
    await handler.close()
    await server.close()
  }
}
