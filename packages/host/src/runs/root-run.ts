import { isComposed } from '@troupe/registry'
import type { AgentDefinition, RunOptions } from '@troupe/schema'
import type { ResumeState, RunRequest, RunResult, RunTreeLog, RunTreeRecording } from '@troupe/schema/ports'
import { sessionOf } from '../conversations/start-turn.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'

/** The parts of a team that a root run shares with the runs below it. */
type RootTeam = Pick<TeamSnapshot, 'executor' | 'redactor' | 'storeDetailOf' | 'locateCard'>

/** A root run with its request and an open log, whether started, resumed, forked or replayed. */
export interface RootRun {
  readonly team: RootTeam
  readonly definition: AgentDefinition
  readonly request: RunRequest
  readonly options: RunOptions
  readonly log: RunTreeLog
  /** State of the run to resume. `onEvent` then gets all events from the beginning. */
  readonly past?: ResumeState
  /** Records or replays the root run. */
  readonly recording?: RunTreeRecording
  onResult?(result: RunResult): void
}

/** Creates the request of a root run as it is stored, without its history. */
export function toRequest(
  definition: AgentDefinition,
  input: string,
  options: RunOptions & { readonly runId: string },
): RunRequest {
  const { runId, attachments, output, note, model, headless } = options
  return {
    runId,
    rootRunId: runId,
    agent: { name: definition.name, digest: definition.digest },
    instance: definition.name,
    input,
    ...(attachments === undefined ? {} : { attachments }),
    ...(output === undefined ? {} : { output }),
    ...(note === undefined ? {} : { note }),
    ...(model === undefined ? {} : { team: { model } }),
    ...(headless === true ? { headless: true as const } : {}),
    ...(isComposed(definition) ? { composed: true as const } : {}),
    ancestry: [],
    ...sessionOf(options, runId),
  }
}
