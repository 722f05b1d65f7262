import type { Host } from '@troupe/host'
import type { RunStore } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { waitingLines } from '../reporter/waiting.ts'
import { summarise } from '../run-store/run-summary.ts'
import type { StoreOptions } from '../run-store/open-store.ts'
import type { WatchedRun } from './watch-run.ts'

/** Options that affect the printed hints. */
interface ResumeHintOptions extends StoreOptions {
  readonly quiet?: boolean
  readonly record?: string
}

/**
 * Prints how to continue a suspended or interrupted run: the commands that answer its open approvals, or the
 * command that resumes it.
 */
export async function printResumeHint(
  { report }: WatchedRun,
  { host, runStore }: { readonly host: Host; readonly runStore: RunStore | undefined },
  { store, record, quiet = false }: ResumeHintOptions,
  { terminal, stop }: CommandContext,
): Promise<void> {
  if (runStore === undefined || stop.silent || report.outcome !== 'cancelled') return
  const { stderr, style } = terminal
  if (report.error?.code === 'run_waiting') {
    for (const line of waitingLines(await host.approvals(report.runId), { store, style }))
      stderr.write(`${line}\n`)
    if (record !== undefined) stderr.write(`  ${style.dim('record')} ${exportHint(report.runId, store)}\n`)
  } else if (!quiet && (await isInterrupted(runStore, report.runId))) {
    stderr.write(`  ${style.dim('resume')} troupe run --resume ${report.runId}${fileOption(store)}\n`)
  }
}

/** Returns the command that exports the recording, which `--record` could not write for an unfinished run. */
function exportHint(runId: string, store: StoreOptions['store']): string {
  return `troupe runs export ${runId}${fileOption(store)} --cassette   (after the run has ended)`
}

function fileOption(store: StoreOptions['store']): string {
  return typeof store === 'string' ? ` --store ${plainText(store)}` : ''
}

async function isInterrupted(runStore: RunStore, runId: string): Promise<boolean> {
  const root = (await runStore.roots()).find(({ rootRunId }) => rootRunId === runId)
  if (root?.detail !== 'full') return false
  return (await summarise(runStore, root))?.state === 'interrupted'
}
