import type { JsonObject } from '@troupe/schema'
import type { RunServiceContext } from './run-service-context.ts'
import { findRun, queuedRun, type RunRef } from './find-run.ts'
import { readRequest } from './stored-run-request.ts'

/** Returns the note of a run; `undefined` if none is stored yet. Rejects with `run_unknown`. */
export async function readNote(
  ref: RunRef,
  context: Pick<RunServiceContext, 'live' | 'store'>,
): Promise<JsonObject | undefined> {
  if ((await queuedRun(ref, context)) !== undefined) return undefined
  await findRun(ref, context)
  return (await readRequest(context.store, ref.runId))?.note
}
