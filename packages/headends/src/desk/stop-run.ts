import { failure, toFailure } from '@troupe/schema'
import type { DeskContext } from './desk-context.ts'
import { findRun, type AskedRun } from './find-run.ts'
import { readSummary } from './run-summary.ts'

/** Ends a run for good; one that has ended stays as it is. Rejects with `run_unknown`. */
export async function stopRun(asked: AskedRun, context: DeskContext): Promise<void> {
  const running = context.live.get(asked.runId)
  if (running?.principal === asked.principal) {
    running.stop.abort(stopped())
    await running.done
  }
  const summary = await readSummary(context.store, await findRun(asked, context))
  if (summary?.durationMs === undefined) await endInterrupted(asked.runId, context)
}

/** A run that nobody works on ends where it is gone on with and stopped at once. */
async function endInterrupted(
  runId: string,
  { host, hub }: Pick<DeskContext, 'host' | 'hub'>,
): Promise<void> {
  try {
    await host.resume(runId, { signal: AbortSignal.abort(stopped()), onEvent: hub.tell })
  } catch (thrown) {
    const { code } = toFailure(thrown)
    // nothing of it is kept, or only that it was: it has ended with its work
    if (code !== 'run_unknown' && code !== 'run_not_resumable') throw thrown
  }
}

function stopped(): ReturnType<typeof failure> {
  return failure('run_cancelled', 'The run was stopped.')
}
