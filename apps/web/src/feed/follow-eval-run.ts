import type { RunEvent } from '@troupe/client'
import { client } from '../api/client.ts'
import type { EvalRunRef } from '../route/eval-run-ref.ts'

/** Yields the saved events of a run of a report. */
export async function* followEvalRun(
  { reportId, runId }: EvalRunRef,
  signal: AbortSignal | undefined,
): AsyncGenerator<RunEvent, void, undefined> {
  const { events } = await client.evals.events(reportId, runId, { signal })
  yield* events
}
