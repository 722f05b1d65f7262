import type { RunTrace } from '@troupe/schema/ports'
import type { RootRun } from './execute-root-run.ts'
import type { RunsContext } from './runs-context.ts'

/**
 * Opens the trace of an execution and passes its events to it. Returns `undefined` if the host has no tracer, and
 * for a replay, because the recorded run already has a trace.
 */
export function openTrace(
  { request, definition, log, past, recording, task, team }: RootRun,
  { tracer }: Pick<RunsContext, 'tracer'>,
): RunTrace | undefined {
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
    onEvent: trace.onEvent,
    contextOfCall: (call) => trace.contextOfCall(call),
    close() {
      unsubscribe()
      trace.close()
    },
  }
}
