import type { Host, HostPlan } from '@troupe/host'
import type { CommandContext } from '../terminal/context.ts'
import { printNote, printReload, reloadLine, type MessageOptions } from '../reporter/reload.ts'
import { waitForStop } from '../terminal/stop.ts'

/**
 * Runs once, and again after every valid edit, until the program is stopped. Edits during a run are combined
 * and start the next run after it. Resolves with the exit code of the stop or of the last run.
 */
export async function repeatRuns(
  host: Host,
  { once, options }: { once(): Promise<number>; readonly options: MessageOptions },
  context: CommandContext,
): Promise<number> {
  const { stop } = context
  let edited = Promise.withResolvers<void>()
  const watch = await host.watch({
    onReload: (reload) => {
      printReload(reload, options, context)
      if (reload.outcome === 'taken') edited.resolve()
    },
  })
  const stopped = waitForStop(stop)
  try {
    for (;;) {
      edited = Promise.withResolvers<void>()
      const code = await once()
      if (stop.signal.aborted) return stop.exitCode ?? code
      if (options.quiet !== true) printNote('Watching for changes. Press Ctrl-C to stop.', options, context)
      await Promise.race([edited.promise, stopped])
      if (stop.signal.aborted) return stop.exitCode ?? code
    }
  } finally {
    await watch.close()
  }
}

/**
 * Prints the plan again after every change, until the program is stopped. Resolves with the exit code of the
 * stop or of the last plan.
 */
export async function watchChecks(
  host: Host,
  {
    code,
    print,
    inspect,
  }: {
    /** Exit code of the first plan. */
    readonly code: number
    /** Prints a plan and returns its exit code. */
    print(plan: HostPlan): number
    /** Connects the MCP servers and returns the plan with their tools; `undefined` to connect none. */
    readonly inspect: (() => Promise<HostPlan>) | undefined
  },
  { terminal, stop, cwd }: CommandContext,
): Promise<number> {
  let last = code
  let printing = Promise.resolve()
  const watch = await host.watch({
    onReload: (reload) => {
      printing = printing.then(async () => {
        terminal.stderr.write(`\n${reloadLine(reload, cwd)}\n`)
        last = print(inspect !== undefined && reload.outcome !== 'kept' ? await inspect() : reload.plan)
      })
    },
  })
  terminal.stderr.write('Watching for changes. Press Ctrl-C to stop.\n')
  await waitForStop(stop)
  await watch.close()
  await printing
  return stop.exitCode ?? last
}
