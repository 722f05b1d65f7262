import { createRecorder, writeCassette } from '@troupe/cassette'
import type { Stop } from '@troupe/core'
import { redactValues } from '@troupe/env'
import type { RunOptions, RunReport } from '@troupe/schema'
import type { OpenedRoot } from './root-run.ts'
import type { RootsContext } from './roots-context.ts'
import { runRoot } from './run-root.ts'

/** Runs and records a root run. A suspended one is not recorded, as it has not ended. */
export async function recordRoot(
  root: OpenedRoot,
  record: NonNullable<RunOptions['record']>,
  { context, stop }: { readonly context: RootsContext; readonly stop: Stop },
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
  const options = { ...root.options, wait: wait && root.log.keeps }
  const report = await runRoot(
    { ...root, options, log: recorder.log(root.log), tape: recorder },
    context,
    stop,
  )
  if (report.error?.code !== 'run_waiting') await record(writeCassette(recorder.cassette()))
  return report
}
