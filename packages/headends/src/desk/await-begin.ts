import type { RunReport } from '@troupe/schema'
import type { DeskContext } from './desk-context.ts'
import { isKept } from './find-run.ts'
import type { WorkingRun } from './put-to-work.ts'

/** A run that is active, or queued until a slot is free. Its report follows when it has ended. */
export interface StartedRun {
  readonly runId: string
  readonly state: 'running' | 'queued'
}

/** Maximum wait for the first event of a run, in ms. */
const FIRST_NEWS_MS = 250

/**
 * Returns the state of a run that was just started, or its report if it ended before anything was persisted.
 */
export async function awaitBegin(
  working: WorkingRun,
  context: Pick<DeskContext, 'clock' | 'store' | 'onError'>,
): Promise<StartedRun | RunReport> {
  const { runId } = working
  const report = await earlyReport(working, context)
  if (report?.error?.code === 'run_waiting') return { runId, state: 'running' }
  const kept = await isKept(runId, context)
  if (report !== undefined && !kept) return report
  return { runId, state: kept ? 'running' : 'queued' }
}

/**
 * Returns the report if it comes before the first event and the time limit. Later errors are passed to
 * `onError`.
 */
async function earlyReport(
  { news, done }: WorkingRun,
  { clock, onError }: Pick<DeskContext, 'clock' | 'onError'>,
): Promise<RunReport | undefined> {
  const late = Promise.withResolvers<undefined>()
  const cancel = clock.after(FIRST_NEWS_MS, () => late.resolve(undefined))
  try {
    return await Promise.race([done, news.then(() => undefined), late.promise])
  } finally {
    cancel()
    done.catch((thrown: unknown) => onError?.(thrown))
  }
}
