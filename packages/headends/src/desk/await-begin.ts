import type { RunReport } from '@troupe/schema'
import type { DeskContext } from './desk-context.ts'
import { isKept } from './find-run.ts'
import type { WorkingRun } from './put-to-work.ts'

/** A run that was asked for: it is at work, or it waits for room. Its report comes when it has ended. */
export interface StartedRun {
  readonly runId: string
  readonly state: 'running' | 'queued'
}

/** How long a caller waits for the first news of its run, in ms. */
const FIRST_NEWS_MS = 250

/** What is known of a run that was just begun: how it stands, or its report, where it ended before anything of it was kept. */
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

/** The report, where it comes before any other news. A report that comes later is nobody's answer. */
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
