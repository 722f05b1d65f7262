import { createReplay, differenceText, firstDifference, readCassette, type Cassette } from '@troupe/cassette'
import { childRunId } from '@troupe/core'
import { failure, type RunReport } from '@troupe/schema'
import type { TeamSnapshot } from '../team-snapshot.ts'
import type { ReplayOptions } from '../host-types.ts'
import { createReplayExecutor } from '../replay/replay-executor.ts'
import { replayRedactor } from '../replay/replay-redactor.ts'
import type { OpenReplay } from '../root-runs/replay-root-run.ts'
import { reportBase } from './broken-report.ts'
import { findAgent } from './find-agent.ts'
import type { RunsContext } from './runs-context.ts'
import { toInput } from './to-input.ts'
import { failedReport } from './to-report.ts'
import { useTeam } from './use-team.ts'

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
