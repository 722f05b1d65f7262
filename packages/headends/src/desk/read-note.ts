import type { JsonObject } from '@troupe/schema'
import type { DeskContext } from './desk-context.ts'
import { findRun, queuedRun, type AskedRun } from './find-run.ts'
import { readRequest } from './kept-request.ts'

/** Returns the note of a run; `undefined` if none is stored yet. Rejects with `run_unknown`. */
export async function readNote(
  asked: AskedRun,
  context: Pick<DeskContext, 'live' | 'store'>,
): Promise<JsonObject | undefined> {
  if ((await queuedRun(asked, context)) !== undefined) return undefined
  await findRun(asked, context)
  return (await readRequest(context.store, asked.runId))?.note
}
