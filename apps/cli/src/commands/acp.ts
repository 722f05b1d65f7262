import { randomUUID } from 'node:crypto'
import { Readable, type Writable } from 'node:stream'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import { withPrintedEvents } from '../mcp/print-serving.ts'
import { openMemoryStore, openRunStore, type StoreOptions } from '../run-store/open-store.ts'
import { printPlanProblems } from '../reporter/plan-problems.ts'
import { waitForStop } from '../terminal/stop.ts'
import { createAcpAgent, type AcpAgentContext } from '../acp/create-acp-agent.ts'

export interface AcpOptions extends TeamOptions, StoreOptions {
  readonly quiet?: boolean
  readonly verbose?: boolean
}

/**
 * Runs `troupe acp <card>`: serves an agent to an editor over stdio until it disconnects. Resolves with the
 * exit code.
 */
export async function acpCommand(
  card: string,
  options: AcpOptions,
  context: CommandContext,
): Promise<number> {
  // Capture stdout before any card code is loaded, because that code may print.
  const output = context.captureStdout()
  const located = { ...options, paths: [card] }
  const store = (await openRunStore(located, context)) ?? (await openMemoryStore(context))
  const host = await loadHost([card], options, context, { store, isTraced: true })
  const forget = context.atExit(() => host.kill())
  try {
    if (printPlanProblems(host.plan(), options, context) !== undefined) return EXIT.usage
    const entry = host.definition(host.plan().entry)
    // an editor may choose among the agents of a team, unless the command names one
    const others = options.agent === undefined ? host.agents().filter(({ name }) => name !== entry.name) : []
    await serveAcp(
      {
        agents: [entry, ...others],
        host,
        store,
        newSessionId: () => `session_${randomUUID()}`,
        withListeners: (run) => withPrintedEvents(run, options, context),
      },
      output,
      context,
    )
    return context.stop.exitCode ?? EXIT.completed
  } finally {
    await host.close()
    forget()
  }
}

/**
 * Serves an agent to the editor at stdin and `output` until it disconnects or the program is stopped. Running
 * turns are cancelled then.
 */
async function serveAcp(parts: AcpAgentContext, output: Writable, context: CommandContext): Promise<void> {
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
