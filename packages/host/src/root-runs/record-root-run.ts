import { createRecorder, writeCassette } from '@troupe/cassette'
import type { Cancellation } from '@troupe/core'
import { redactValues } from '@troupe/env'
import type { RunOptions, RunReport } from '@troupe/schema'
import type { OpenRootRun } from './root-run.ts'
import type { RootRunsContext } from './root-runs-context.ts'
import { executeRootRun } from './execute-root-run.ts'

/** Runs and records a root run. A suspended one is not recorded, as it has not ended. */
export async function recordRootRun(
  root: OpenRootRun,
  record: NonNullable<RunOptions['record']>,
  { context, stop }: { readonly context: RootRunsContext; readonly stop: Cancellation },
): Promise<RunReport> {
  const { redactor } = root.team
  const { headless = false, wait = false } = root.options
  const seal = (text: string): string => redactor?.seal(text) ?? text
  const { history } = root.request
  const recorder = createRecorder({
    seal,
    headless,
    ...(history === undefined ? {} : { history: redactValues(history, seal) }),
  })
  // The log of the recorder always accepts steps. Only a run that is persisted may be suspended.
  const options = { ...root.options, wait: wait && root.log.isPersistent }
  const report = await executeRootRun(
    { ...root, options, log: recorder.log(root.log), recording: recorder },
    context,
    stop,
  )
  if (report.error?.code !== 'run_waiting') await record(writeCassette(recorder.cassette()))
  return report
}
