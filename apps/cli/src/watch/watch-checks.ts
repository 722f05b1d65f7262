import type { Host, HostPlan } from '@troupe/host'
import type { CommandContext } from '../terminal/context.ts'
import { reloadLine } from '../reporter/reload.ts'
import { waitForStop } from '../terminal/stop.ts'

/**
 * Prints the plan again after every change, until the program is stopped. Resolves with the exit code of the
 * stop or of the last plan.
 */
export async function watchChecks(
  host: Host,
  {
    code,
    print,
    connect,
  }: {
    /** Exit code of the first plan. */
    readonly code: number
    /** Prints a plan and returns its exit code. */
    print(plan: HostPlan): number
    readonly connect: boolean
  },
  { terminal, stop, cwd }: CommandContext,
): Promise<number> {
  let last = code
  let printing = Promise.resolve()
  const watch = await host.watch({
    onReload: (reload) => {
      printing = printing.then(async () => {
        terminal.stderr.write(`\n${reloadLine(reload, cwd)}\n`)
        last = print(connect && reload.outcome !== 'kept' ? await host.inspect() : reload.plan)
      })
    },
  })
  terminal.stderr.write('Watching for changes; Ctrl-C ends.\n')
  await waitForStop(stop)
  await watch.close()
  await printing
  return stop.exitCode ?? last
}
