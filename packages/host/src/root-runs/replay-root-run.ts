import type { Cassette, CassetteReplay } from '@troupe/cassette'
import { createDiscardingLog, type Cancellation } from '@troupe/core'
import type { InProcessExecutor } from '@troupe/registry'
import type { Failure, RunReport } from '@troupe/schema'
import { omitUndefined } from './omit-undefined.ts'
import type { RootRun } from './root-run.ts'
import type { RootRunsContext } from './root-runs-context.ts'
import { executeRootRun } from './execute-root-run.ts'
import { toRequest } from './to-request.ts'

/** A root run to replay. */
export interface RootRunReplay extends Omit<RootRun, 'input'> {
  readonly cassette: Cassette
  readonly open: OpenReplay
}

/**
 * Creates the replay of a root run and its executor. Calls `stop` when the run deviates from the recording.
 */
export type OpenReplay = (stop: (reason: Failure) => void) => {
  readonly replay: CassetteReplay
  readonly executor: InProcessExecutor
}

/** Replays a recorded root run with all external input from the recording. Nothing is persisted. */
export async function replayRootRun(
  run: RootRunReplay,
  context: RootRunsContext,
  stop: Cancellation,
): Promise<RunReport> {
  const { cassette, open } = run
  const options = { ...run.options, ...recordedOptions(cassette) }
  const { runId, input, history } = cassette
  const request = { ...toRequest({ ...run, input, options }, runId), ...omitUndefined({ history }) }
  const { replay, executor } = open((reason) => stop.cancel(reason))
  const team = { ...run.team, executor }
  const log = replay.log(createDiscardingLog())
  const root = { ...run, options, team, starter: executor, request, log, recording: replay }
  const report = await executeRootRun(root, context, stop)
  const { mismatch } = replay
  return mismatch === undefined ? report : { ...report, outcome: 'failed', error: mismatch }
}

function recordedOptions({
  attachments,
  output,
  sessionId,
  headless,
}: Cassette): Partial<RootRun['options']> {
  return omitUndefined({ attachments, output, sessionId, headless })
}
