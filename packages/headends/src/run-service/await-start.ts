import type { RunReport } from '@troupe/schema'
import type { RunServiceContext } from './run-service-context.ts'
import { isPersisted } from './find-run.ts'
import type { LaunchedRun } from './launch-run.ts'

/** A run that is active, or queued until a slot is free. Its report follows when it has ended. */
export interface StartedRun {
  readonly runId: string
  readonly state: 'running' | 'queued'
}

/** Maximum wait for the first event of a run, in ms. */
const FIRST_EVENT_TIMEOUT_MS = 250

/**
 * Returns the state of a run that was just started, or its report if it ended before anything was persisted.
 */
export async function awaitStart(
  launched: LaunchedRun,
  context: Pick<RunServiceContext, 'clock' | 'store' | 'onError'>,
): Promise<StartedRun | RunReport> {
  const { runId } = launched
  const report = await earlyReport(launched, context)
  if (report?.error?.code === 'run_waiting') return { runId, state: 'running' }
  const isStored = await isPersisted(runId, context)
  if (report !== undefined && !isStored) return report
  return { runId, state: isStored ? 'running' : 'queued' }
}

/**
 * Returns the report if it comes before the first event and the time limit. Later errors are passed to
 * `onError`.
 */
async function earlyReport(
  { firstEvent, done }: LaunchedRun,
  { clock, onError }: Pick<RunServiceContext, 'clock' | 'onError'>,
): Promise<RunReport | undefined> {
  const late = Promise.withResolvers<undefined>()
  const cancel = clock.after(FIRST_EVENT_TIMEOUT_MS, () => late.resolve(undefined))
  try {
    return await Promise.race([done, firstEvent.then(() => undefined), late.promise])
  } finally {
    cancel()
    done.catch((thrown: unknown) => onError?.(thrown))
  }
}
