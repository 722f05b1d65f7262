import type { Writable } from 'node:stream'
import { serveMetaMcpStdio, type MetaMcp } from '@troupe/meta-mcp'
import type { CommandContext } from '../terminal/context.ts'
import { waitForStop } from '../terminal/stop.ts'
import { warn } from './print-serving.ts'

/** Serves an agent over stdin and `output` until the client disconnects or the program is stopped. */
export async function serveOverStdio(
  meta: Pick<MetaMcp, 'createServer'>,
  output: Writable,
  context: CommandContext,
): Promise<void> {
  const connection = serveMetaMcpStdio(meta, {
    input: context.terminal.stdin,
    output,
    onError: ({ message }) => warn(message, context),
  })
  await Promise.race([connection.closed, waitForStop(context.stop)])
  await connection.close()
}
