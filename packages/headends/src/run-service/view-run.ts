import type { RunServiceContext } from './run-service-context.ts'
import { findRun, queuedRun, unknownRun, type RunRef } from './find-run.ts'
import { readView, type RunView } from './run-view.ts'

/** Returns a run with its result. Rejects with `run_unknown`. */
export async function viewRun(
  ref: RunRef,
  context: Pick<RunServiceContext, 'live' | 'store'>,
): Promise<RunView> {
  const queued = await queuedRun(ref, context)
  if (queued !== undefined) return queued
  const view = await readView(context.store, await findRun(ref, context))
  if (view === undefined) throw unknownRun(ref.runId)
  return view
}
