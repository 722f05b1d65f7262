import type { DeskContext } from './desk-context.ts'
import { findRun, queuedRun, unknownRun, type AskedRun } from './find-run.ts'
import { readView, type RunView } from './run-view.ts'

/** Returns a run with its result. Rejects with `run_unknown`. */
export async function viewRun(
  asked: AskedRun,
  context: Pick<DeskContext, 'live' | 'store'>,
): Promise<RunView> {
  const queued = await queuedRun(asked, context)
  if (queued !== undefined) return queued
  const view = await readView(context.store, await findRun(asked, context))
  if (view === undefined) throw unknownRun(asked.runId)
  return view
}
