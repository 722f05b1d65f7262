import type { RunServiceContext } from './run-service-context.ts'
import { findRun, queuedRun, unknownRun, type RunRef } from './find-run.ts'
import { readSummary } from './run-summary.ts'
import type { RunView } from './run-view.ts'

/** Returns the state of a run without its result. Rejects with `run_unknown`. */
export async function readRunState(
  ref: RunRef,
  context: Pick<RunServiceContext, 'live' | 'store'>,
): Promise<Pick<RunView, 'state' | 'lastSeq'>> {
  const queued = await queuedRun(ref, context)
  if (queued !== undefined) return queued
  const root = await findRun(ref, context)
  const summary = await readSummary(context.store, root)
  if (summary === undefined) throw unknownRun(ref.runId)
  return { state: summary.state, lastSeq: root.lastSeq }
}
