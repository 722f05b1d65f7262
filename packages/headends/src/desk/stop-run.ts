import { failure, toFailure, type RunReport } from '@troupe/schema'
import { errorBody } from '../error-response.ts'
import type { DeskContext } from './desk-context.ts'
import { findRun, isKept, type AskedRun } from './find-run.ts'
import { readSummary } from './run-summary.ts'
import type { RunView } from './run-view.ts'
import { viewRun } from './view-run.ts'

/** Ends a run for good; one that has ended stays as it is. Gives it as it is then. Rejects with `run_unknown`. */
export async function stopRun(asked: AskedRun, context: DeskContext): Promise<RunView> {
  const running = context.live.get(asked.runId)
  if (running?.principal === asked.principal) {
    running.stop.abort(stopped())
    const report = await running.done
    const { queued } = running
    if (queued !== undefined && !(await isKept(asked.runId, context))) return endedBefore(queued, report)
  }
  const summary = await readSummary(context.store, await findRun(asked, context))
  if (summary?.durationMs === undefined) await endInterrupted(asked.runId, context)
  return viewRun(asked, context)
}

/** A run that has ended before anything of it happened. */
function endedBefore(queued: RunView, report: RunReport | undefined): RunView {
  const { outcome = 'cancelled', error = stopped(), usage, output, durationMs = 0 } = report ?? {}
  return {
    ...queued,
    state: outcome,
    durationMs,
    ...(output === undefined ? {} : { output }),
    ...(usage === undefined ? {} : { usage }),
    ...errorBody(error),
  }
}

/** A run that nobody works on ends where it is gone on with and stopped at once. */
async function endInterrupted(
  runId: string,
  { host, hub }: Pick<DeskContext, 'host' | 'hub'>,
): Promise<void> {
  try {
    await host.resume(runId, { signal: AbortSignal.abort(stopped()), onEvent: hub.tell })
  } catch (thrown) {
    const { code } = toFailure(thrown)
    // nothing of it is kept, or only that it was: it has ended with its work
    if (code !== 'run_unknown' && code !== 'run_not_resumable') throw thrown
  }
}

function stopped(): ReturnType<typeof failure> {
  return failure('run_cancelled', 'The run was stopped.')
}
