import type { Host } from '@troupe/host'
import type { RunStore } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from './context.ts'
import { waitingLines } from './reporter/waiting.ts'
import { summarise } from './stored/run-summary.ts'
import type { StoreOptions } from './stored/store-file.ts'
import type { WatchedRun } from './watch-run.ts'

/** Says how a run goes on that was left: how to decide on the calls that it waits for, or how to resume it after an interrupt. */
export async function tellLeft(
  { report }: WatchedRun,
  { host, kept }: { readonly host: Host; readonly kept: RunStore | undefined },
  { store, quiet = false }: StoreOptions & { readonly quiet?: boolean },
  { terminal, stop }: CommandContext,
): Promise<void> {
  if (kept === undefined || stop.silent || report.outcome !== 'cancelled') return
  const { stderr, style } = terminal
  if (report.error?.code === 'run_waiting') {
    for (const line of waitingLines(await host.approvals(report.runId), { store, style }))
      stderr.write(`${line}\n`)
  } else if (!quiet && (await isInterrupted(kept, report.runId))) {
    const file = typeof store === 'string' ? ` --store ${plainText(store)}` : ''
    stderr.write(`  ${style.dim('go on')} troupe run --resume ${report.runId}${file}\n`)
  }
}

async function isInterrupted(kept: RunStore, runId: string): Promise<boolean> {
  const root = (await kept.roots()).find(({ rootRunId }) => rootRunId === runId)
  if (root?.detail !== 'full') return false
  return (await summarise(kept, root))?.state === 'interrupted'
}
