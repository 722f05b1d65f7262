import type { RunTrace } from '@troupe/schema/ports'
import type { RootRun } from './execute-root-run.ts'
import type { RunsContext } from './runs-context.ts'

/** The trace of an execution. */
interface OpenTrace {
  readonly trace: RunTrace
  /** Ends the trace. Never rejects. */
  close(): Promise<void>
}

/**
 * Opens the trace of an execution and passes its events to it. Returns `undefined` if the host has no tracer, and
 * for a replay, because the recorded run already has a trace.
 */
export function openTrace(
  { request, definition, log, past, recording, task, team }: RootRun,
  { tracer }: Pick<RunsContext, 'tracer'>,
): OpenTrace | undefined {
  if (tracer === undefined || recording?.replay !== undefined) return undefined
  const { content = false } = team.telemetry
  const trace = tracer.openTrace({
    ...team.telemetry,
    request,
    content: content && team.storeDetailOf(definition.name) === 'full',
    ...(past === undefined ? {} : { resumedAfter: past.last }),
  })
  const unsubscribe = log.subscribe(
    (event) => {
      // the other runs of the tree are traced by the workers that execute them
      if (task === undefined || event.runId === request.runId) trace.onEvent(event)
    },
    { deltas: false, ...(past === undefined ? {} : { after: 0 }) },
  )
  return {
    trace,
    async close() {
      // the end of a child run, and the stored events of a resumed one, may still be on their way
      await log.waitForCommit()?.catch(ignoreFailure)
      unsubscribe()
      trace.close()
      // no process resumes a task that has ended, so its spans must be sent before
      if (task !== undefined) await trace.flush()
    },
  }
}

function ignoreFailure(): void {
  // the run reports the failure of its store
}
