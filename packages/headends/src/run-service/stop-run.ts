import { OUTCOMES, toFailure, type RunReport, failure } from '@troupe/schema'
import { errorBody } from '../headend/errors.ts'
import { findRun, isPersisted, type RunRef } from './find-run.ts'
import { STOP_REQUESTED } from './launch-run.ts'
import type { RunServiceContext } from './run-service-context.ts'
import { readSummary } from './run-summary.ts'
import { type RunView, viewRun } from './run-view.ts'

/**
 * Cancels a run for good and returns it. A run that is active here ends by itself and persists its own
 * report; one that has ended stays as it is. Rejects with `run_unknown`.
 */
export async function stopRun(ref: RunRef, context: RunServiceContext): Promise<RunView> {
  const running = context.live.get(ref.runId)
  if (running?.principal === ref.principal) {
    running.stop.abort(STOP_REQUESTED)
    const report = await running.done
    const { queued } = running
    if (queued !== undefined && !(await isPersisted(ref.runId, context))) return endedBefore(queued, report)
  }
  const connected = context.connected?.get(ref.runId)
  if (connected?.principal === ref.principal) {
    connected.stop.abort(STOP_REQUESTED)
    await connected.done
  }
  const summary = await readSummary(context.store, await findRun(ref, context))
  if (summary === undefined || !hasEnded(summary)) await endInterrupted(ref, context)
  return viewRun(ref, context)
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
  { runId, principal }: RunRef,
  { host, hub }: Pick<RunServiceContext, 'host' | 'hub'>,
): Promise<void> {
  try {
    await host.resume(runId, { principal, signal: AbortSignal.abort(STOP_REQUESTED), onEvent: hub.publish })
  } catch (thrown) {
    const { code } = toFailure(thrown)
    // Only metadata or nothing is stored, so there is no run left to end.
    if (code !== 'run_unknown' && code !== 'run_not_resumable') throw thrown
  }
}

/** Interrupts all runs. Persisted runs can be resumed. */
export async function closeRuns(
  context: Pick<RunServiceContext, 'live' | 'memoryRuns' | 'isDraining' | 'stopRecovery'>,
): Promise<void> {
  const { live, memoryRuns } = context
  context.isDraining = true
  context.stopRecovery?.()
  const running = [...live.values()]
  for (const { stop } of running) stop.abort(failure('run_cancelled', 'The server has shut down.'))
  await Promise.all(running.map(({ done }) => done))
  memoryRuns.close()
}
