import type { InProcessExecutor } from '@troupe/registry'
import type {
  AgentDefinition,
  Redactor,
  RunTreeLog,
  ResumeState,
  RunTreeRecording,
  RunExecutor,
  RunOptions,
  RunRequest,
  RunResult,
  RunStore,
} from '@troupe/schema'

/** Everything that a root run shares with the runs below it. */
export interface RootTeam {
  /** Starts child runs. */
  readonly executor: RunExecutor
  readonly redactor: Redactor | undefined
  /** Returns how much of the runs of an agent is stored. */
  storeDetailOf(agent: string): AgentDefinition['store']
  /** Returns the path or address of the card of an agent. */
  locateCard(agent: string): string
}

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
