import type { InProcessExecutor } from '@troupe/registry'
import type {
  AgentDefinition,
  ResumeState,
  RunOptions,
  RunRequest,
  RunResult,
  RunStore,
  RunTreeLog,
  RunTreeRecording,
} from '@troupe/schema'
import { sessionOf } from '../conversations/start-turn.ts'
import type { RootTeam } from '../snapshot/team-snapshot.ts'

/** A root run to start. */
export interface RootRun {
  readonly team: RootTeam
  readonly definition: AgentDefinition
  readonly input: string
  readonly options: RunOptions
  /** Starts the root run itself. Its children are started by the executor of the team. */
  readonly starter: Pick<InProcessExecutor, 'run'>
  /** True for a run that no later run of the session continues. */
  readonly isSingle?: true
}

/** A root run from a store, or a copy of one. Its input is part of the request. */
export interface StoredRootRun extends Omit<RootRun, 'input'> {
  readonly request: RunRequest
  readonly store: RunStore
}

/** A root run with its request and an open log, ready to run. */
export interface OpenRootRun extends Omit<RootRun, 'input'> {
  readonly request: RunRequest
  readonly log: RunTreeLog
  /** State of the run to resume. `onEvent` then gets all events from the beginning. */
  readonly past?: ResumeState
  /** Records or replays the root run. */
  readonly recording?: RunTreeRecording
  onResult?(result: RunResult): void
}

/** Creates the request of a root run as it is stored, without its history. */
export function toRequest({ definition, input, options }: RootRun, runId: string): RunRequest {
  return {
    runId,
    rootRunId: runId,
    agent: { name: definition.name, digest: definition.digest },
    instance: definition.name,
    input,
    ...(options.attachments === undefined ? {} : { attachments: options.attachments }),
    ...(options.output === undefined ? {} : { output: options.output }),
    ...(options.note === undefined ? {} : { note: options.note }),
    ...(options.model === undefined ? {} : { team: { model: options.model } }),
    ...(options.headless === true ? { headless: true as const } : {}),
    ...(definition.type === 'agent' ? {} : { composed: true }),
    ancestry: [],
    ...sessionOf(options, runId),
  }
}
