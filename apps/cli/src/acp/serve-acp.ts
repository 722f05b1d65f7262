import { Readable, type Writable } from 'node:stream'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import type { CommandContext } from '../terminal/context.ts'
import { waitForStop } from '../terminal/wait-for-stop.ts'
import { createAcpAgent, type AcpAgentContext } from './create-acp-agent.ts'

/**
 * Serves an agent to the editor at stdin and `output` until it disconnects or the program is stopped. Running
 * turns are cancelled then.
 */
export async function serveAcp(
  parts: AcpAgentContext,
  output: Writable,
  context: CommandContext,
): Promise<void> {
  const input = Readable.toWeb(Readable.from(context.terminal.stdin)) as ReadableStream<Uint8Array>
  const lines = new WritableStream<Uint8Array>({
    write: (chunk) =>
      new Promise<void>((resolve, reject) => {
        output.write(chunk, (thrown) => (thrown ? reject(thrown) : resolve()))
      }),
  })
  const connection = createAcpAgent(parts).connect(ndJsonStream(lines, input))
  await Promise.race([connection.closed, waitForStop(context.stop)])
  connection.close()
}
