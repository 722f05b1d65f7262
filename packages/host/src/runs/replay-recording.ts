import { createReplay, differenceText, firstDifference, readCassette, type Cassette } from '@troupe/cassette'
import { childRunId, createDiscardingLog } from '@troupe/core'
import { failure, type JsonObject, type RunOptions, type RunReport } from '@troupe/schema'
import { findAgent } from '../plan/find-agent.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'
import { useTeam } from '../snapshot/team-snapshots.ts'
import { executeRootRun } from './execute-root-run.ts'
import { createReplayExecutor, replayRedactor } from './replay-executor.ts'
import { failedReport, reportBase } from './report.ts'
import { toRequest, type RootRun } from './root-run.ts'
import { toInput } from './run-agent.ts'
import type { RunsContext } from './runs-context.ts'

/** Options of `Host.replay`. */
export interface ReplayOptions extends Pick<RunOptions, 'signal' | 'onEvent'> {
  /** Name of the recording in messages. */
  readonly file?: string
  /**
   * Must be equal to the recorded input, else the replay fails with `replay_mismatch`. Default: the recorded
   * input.
   */
  readonly input?: string | JsonObject
}

/**
 * Replays a recording without a model, tool or server, with all external input from the recording. Nothing is
 * persisted. Rejects if the text is not a recording.
 */
export function replayRecording(
  text: string,
  { file = 'The recording', ...options }: ReplayOptions,
  context: RunsContext,
): Promise<RunReport> {
  return useTeam(context.team, async (snapshot) => {
    context.requireOpen()
    const cassette = readCassette(text, file)
    const { definition } = findAgent(snapshot.loaded, cassette.agent).member
    const first = await toInput(definition, options.input ?? cassette.input, context)
    const found = 'class' in first ? undefined : firstDifference(cassette.input, first.input)
    if (found !== undefined)
      return failedReport(
        failure('replay_mismatch', `${differenceText(found, `The input of ${file}`)}.`),
        reportBase(definition, options),
      )
    return replayRootRun(cassette, { snapshot, definition, options }, context)
  })
}

function replayRootRun(
  cassette: Cassette,
  run: Pick<RootRun, 'definition' | 'options'> & { readonly snapshot: TeamSnapshot },
  context: RunsContext,
): Promise<RunReport> {
  const { clock, validate } = context
  const { snapshot, definition } = run
  const { runId, attachments, output, sessionId, headless, history, values } = cassette
  const options = { ...run.options, ...omitUndefined({ attachments, output, sessionId, headless }) }
  const request = {
    ...toRequest(definition, cassette.input, { ...options, runId }),
    ...omitUndefined({ history, values }),
  }
  return context.live.start(runId, async (handle) => {
    const redactor = replayRedactor(snapshot.redactor)
    const replay = createReplay(cassette, {
      childId: childRunId,
      clock,
      seal: redactor.seal,
      onMismatch: (reason) => handle.stop.cancel(reason),
    })
    const executor = createReplayExecutor(snapshot.loaded, { cassette, replay, validate })
    const team = { ...snapshot, redactor, executor }
    const log = replay.log(createDiscardingLog())
    const root = { team, definition, request, options, log, recording: replay }
    const report = await executeRootRun(root, handle, context)
    const { mismatch } = replay
    return mismatch === undefined ? report : { ...report, outcome: 'failed', error: mismatch }
  })
}

/** Returns the properties that are not `undefined`, so that spreading them overwrites nothing. */
function omitUndefined<T extends object>(values: T): { [K in keyof T]: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
