import type { InProcessExecutor } from '@troupe/registry'
import type {
  AgentDefinition,
  Redactor,
  RootLog,
  RootPast,
  RootTape,
  RunExecutor,
  RunOptions,
  RunRequest,
  RunResult,
  RunStore,
} from '@troupe/schema'

/** What all runs below a root have in common with it. */
export interface RootTeam {
  /** Starts its children. */
  readonly executor: RunExecutor
  readonly redactor: Redactor | undefined
  /** How much of a run of the agent is kept. */
  keeps(agent: string): AgentDefinition['store']
  /** Where the card of an agent stands. */
  placeOf(agent: string): string
}

/** A root to start. */
export interface RootRun {
  readonly team: RootTeam
  readonly definition: AgentDefinition
  readonly input: string
  readonly options: RunOptions
  /** Starts the root itself; its children go to the executor of its team. */
  readonly starter: Pick<InProcessExecutor, 'run'>
  /** It stands for itself: no conversation goes on from it. */
  readonly isSingle?: true
}

/** A root that a store knows, or that is copied from one: what it was asked is in its request. */
export interface KeptRootRun extends Omit<RootRun, 'input'> {
  readonly request: RunRequest
  readonly store: RunStore
}

/** A root that is ready to run: it has a request, and a log that is open. */
export interface OpenedRoot extends Omit<RootRun, 'input'> {
  readonly request: RunRequest
  readonly log: RootLog
  /** A root that goes on; its listener hears from the beginning. */
  readonly past?: RootPast
  /** Records the root, or plays it. */
  readonly tape?: RootTape
  onResult?(result: RunResult): void
}
