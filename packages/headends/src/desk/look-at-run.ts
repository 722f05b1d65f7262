import type { DeskContext } from './desk-context.ts'
import { findRun, queuedRun, unknownRun, type AskedRun } from './find-run.ts'
import { readSummary } from './run-summary.ts'
import type { RunView } from './run-view.ts'

/** Returns the state of a run without its result. Rejects with `run_unknown`. */
export async function lookAtRun(
  asked: AskedRun,
  context: Pick<DeskContext, 'live' | 'store'>,
): Promise<Pick<RunView, 'state' | 'lastSeq'>> {
  const queued = await queuedRun(asked, context)
  if (queued !== undefined) return queued
  const root = await findRun(asked, context)
  const summary = await readSummary(context.store, root)
  if (summary === undefined) throw unknownRun(asked.runId)
  return { state: summary.state, lastSeq: root.lastSeq }
}
