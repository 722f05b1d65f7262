import {
  createReplay,
  differenceText,
  firstDifference,
  readCassette,
  type Cassette,
  type CassetteReplay,
} from '@troupe/cassette'
import { childRunId, createDiscardingLog, type Cancellation } from '@troupe/core'
import type { InProcessExecutor } from '@troupe/registry'
import { failure, type Failure, type JsonObject, type RunOptions, type RunReport } from '@troupe/schema'
import { findAgent } from '../plan/find-agent.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'
import { useTeam } from '../snapshot/team-snapshots.ts'
import { executeRootRun } from './execute-root-run.ts'
import { createReplayExecutor, replayRedactor } from './replay-executor.ts'
import { failedReport, reportBase } from './report.ts'
import { toRequest, type RootRun } from './root-run.ts'
import { toInput } from './run-agent.ts'
import type { RootRunsContext, RunsContext } from './runs-context.ts'

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

/** Replays a recording without a model, tool or server. Rejects if the text is not a recording. */
export function replayRecording(
  text: string,
  options: ReplayOptions,
  context: RunsContext,
): Promise<RunReport> {
  return useTeam(context.team, (snapshot) => replayCassette(text, options, { ...context, snapshot }))
}

async function replayCassette(
  text: string,
  { file = 'The recording', ...options }: ReplayOptions,
  context: RunsContext & { readonly snapshot: TeamSnapshot },
): Promise<RunReport> {
  const { snapshot, roots, validate, requireOpen } = context
  requireOpen()
  const cassette = readCassette(text, file)
  const { definition } = findAgent(snapshot.loaded, cassette.agent).member
  const inputText = toInput(definition, options.input ?? cassette.input, { validate })
  const found = typeof inputText === 'string' ? firstDifference(cassette.input, inputText) : undefined
  if (found !== undefined)
    return failedReport(
      failure('replay_mismatch', `${differenceText(found, `The input of ${file}`)}.`),
      reportBase(definition, options),
    )
  const { executor: starter, redactor } = snapshot
  const team = { ...snapshot, redactor: replayRedactor(redactor) }
  const open = opener(cassette, { ...context, seal: team.redactor.seal })
  return roots.replay({ team, definition, cassette, open, options, starter })
}

function opener(
  cassette: Cassette,
  {
    snapshot,
    clock,
    validate,
    seal,
  }: RunsContext & { readonly snapshot: TeamSnapshot; seal(text: string): string },
): OpenReplay {
  return (onMismatch) => {
    const replay = createReplay(cassette, { childId: childRunId, clock, seal, onMismatch })
    return { replay, executor: createReplayExecutor(snapshot.loaded, { cassette, replay, validate }) }
  }
}

/** A root run to replay. */
export interface RootRunReplay extends Omit<RootRun, 'input'> {
  readonly cassette: Cassette
  readonly open: OpenReplay
}

/**
 * Creates the replay of a root run and its executor. Calls `stop` when the run deviates from the recording.
 */
type OpenReplay = (stop: (reason: Failure) => void) => {
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

/** Returns the properties that are not `undefined`, so that spreading them overwrites nothing. */
function omitUndefined<T extends object>(values: T): { [K in keyof T]: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
