import { OUTCOMES, toFailure, type RunReport } from '@troupe/schema'
import { errorBody } from '../error-response.ts'
import type { DeskContext } from './desk-context.ts'
import { findRun, isKept, type AskedRun } from './find-run.ts'
import { STOP_REQUESTED } from './put-to-work.ts'
import { readSummary } from './run-summary.ts'
import type { RunView } from './run-view.ts'
import { viewRun } from './view-run.ts'

/**
 * Cancels a run for good and returns it. A run that is active here ends by itself and persists its own
 * report; one that has ended stays as it is. Rejects with `run_unknown`.
 */
export async function stopRun(asked: AskedRun, context: DeskContext): Promise<RunView> {
  const running = context.live.get(asked.runId)
  if (running?.principal === asked.principal) {
    running.stop.abort(STOP_REQUESTED)
    const report = await running.done
    const { queued } = running
    if (queued !== undefined && !(await isKept(asked.runId, context))) return endedBefore(queued, report)
  }
  const connected = context.connected?.get(asked.runId)
  if (connected?.principal === asked.principal) {
    connected.stop.abort(STOP_REQUESTED)
    await connected.done
  }
  const summary = await readSummary(context.store, await findRun(asked, context))
  if (summary === undefined || !hasEnded(summary)) await endInterrupted(asked, context)
  return viewRun(asked, context)
}

function hasEnded({ state }: Pick<RunView, 'state'>): boolean {
  return OUTCOMES.some((outcome) => outcome === state)
}

/** Creates the view of a run that ended before its first event. */
function endedBefore(queued: RunView, report: RunReport | undefined): RunView {
  const {
    outcome = 'cancelled',
    error = STOP_REQUESTED,
    usage,
    output,
    durationMs = 0,
    activeMs = 0,
  } = report ?? {}
  return {
    ...queued,
    state: outcome,
    durationMs,
    activeMs,
    ...(output === undefined ? {} : { output }),
    ...(usage === undefined ? {} : { usage }),
    ...errorBody(error),
  }
}

/** Ends a suspended or interrupted run by resuming it and cancelling immediately. */
async function endInterrupted(
  { runId, principal }: AskedRun,
  { host, hub }: Pick<DeskContext, 'host' | 'hub'>,
): Promise<void> {
  try {
    await host.resume(runId, { principal, signal: AbortSignal.abort(STOP_REQUESTED), onEvent: hub.tell })
  } catch (thrown) {
    const { code } = toFailure(thrown)
    // Only metadata or nothing is stored, so there is no run left to end.
    if (code !== 'run_unknown' && code !== 'run_not_resumable') throw thrown
  }
}
