import type { Host } from '@troupe/host'
import type { CommandContext } from './context.ts'
import { waitingLines } from './reporter/waiting.ts'
import type { StoreOptions } from './stored/store-file.ts'
import type { WatchedRun } from './watch-run.ts'

/** Says how to decide on the calls that a run waits for, where it does. */
export async function tellWaiting(
  host: Host,
  { report }: WatchedRun,
  { store }: StoreOptions,
  { terminal, stop }: CommandContext,
): Promise<void> {
  if (report.error?.code !== 'run_waiting' || stop.silent) return
  const { stderr, style } = terminal
  for (const line of waitingLines(await host.approvals(report.runId), { store, style }))
    stderr.write(`${line}\n`)
}
