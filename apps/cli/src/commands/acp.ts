import { randomUUID } from 'node:crypto'
import { serveAcp } from '../acp/serve-acp.ts'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import { withPrintedEvents } from '../mcp/print-serving.ts'
import { openRunStore } from '../run-store/open-store.ts'
import type { StoreOptions } from '../run-store/store-file.ts'
import { printPlanProblems } from '../reporter/plan-problems.ts'

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
  const store = await openRunStore(options, context)
  const host = await loadHost([card], options, context, store)
  const forget = context.atExit(() => host.kill())
  try {
    if (printPlanProblems(host.plan(), options, context) !== undefined) return EXIT.usage
    const agent = host.definition(host.plan().entry)
    await serveAcp(
      {
        agent,
        runner: host,
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
