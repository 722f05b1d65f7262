import type { Cassette, Replay } from '@troupe/cassette'
import { createDiscardingLog, type Stop } from '@troupe/core'
import type { InProcessExecutor } from '@troupe/registry'
import type { Failure, RunReport } from '@troupe/schema'
import { definedOf } from './defined-of.ts'
import type { RootRun } from './root-run.ts'
import type { RootsContext } from './roots-context.ts'
import { runRoot } from './run-root.ts'
import { toRequest } from './to-request.ts'

/** A root run to replay. */
export interface ReplayedRoot extends Omit<RootRun, 'input'> {
  readonly cassette: Cassette
  readonly open: OpenReplay
}

/**
 * Creates the replay of a root run and its executor. Calls `stop` when the run deviates from the recording.
 */
export type OpenReplay = (stop: (reason: Failure) => void) => {
  readonly replay: Replay
  readonly executor: InProcessExecutor
}

/** Replays a recorded root run with all external input from the recording. Nothing is persisted. */
export async function replayRoot(run: ReplayedRoot, context: RootsContext, stop: Stop): Promise<RunReport> {
  const { cassette, open } = run
  const options = { ...run.options, ...recordedOptions(cassette) }
  const { runId, input, history } = cassette
  const request = { ...toRequest({ ...run, input, options }, runId), ...definedOf({ history }) }
  const { replay, executor } = open((reason) => stop.stop(reason))
  const team = { ...run.team, executor }
  const log = replay.log(createDiscardingLog())
  const root = { ...run, options, team, starter: executor, request, log, tape: replay }
  const report = await runRoot(root, context, stop)
  const { mismatch } = replay
  return mismatch === undefined ? report : { ...report, outcome: 'failed', error: mismatch }
}

function recordedOptions({
  attachments,
  output,
  sessionId,
  headless,
}: Cassette): Partial<RootRun['options']> {
  return definedOf({ attachments, output, sessionId, headless })
}
