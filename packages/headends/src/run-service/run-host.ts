import type { AgentRunner, ApprovalDecision, RunOptions, RunReport } from '@troupe/schema'

/** Options of a fork. */
export interface RunFork extends Pick<RunOptions, 'signal' | 'onEvent' | 'wait' | 'resumable' | 'note'> {
  /** Turn from which the fork runs live: `2` of the root run, `1.2/3` of the run that its call 1.2 opened. */
  readonly at: string
  /** Id of the new run. */
  readonly runId: string
  /** True to continue with cards that have changed since. */
  readonly acceptChanges: boolean
  /** Principal that the run works for. */
  readonly principal: string
  /** Prompts that replace those of the cards, by agent name. */
  readonly prompts?: Readonly<Record<string, string>>
}

/** Options for resuming a run. */
export interface RunResumption extends Pick<
  RunOptions,
  'signal' | 'onEvent' | 'wait' | 'resumable' | 'budget' | 'timeout'
> {
  /** Principal that the run works for. */
  readonly principal: string
}

/** Operations on persisted runs. A host with a store provides them. */
export interface RunHost extends Pick<AgentRunner, 'run'> {
  /** Resumes a run of the store. `onEvent` receives all events of the run, from the first. */
  resume(runId: string, options: RunResumption): Promise<RunReport>
  /**
   * Forks a run of the store at a step as a new run. Rejects with `run_step_unknown`, `run_changed`,
   * `run_not_resumable` or `spending_limited`.
   */
  fork(runId: string, fork: RunFork): Promise<{ readonly report: RunReport }>
  /** Returns the current prompt of an agent, or `undefined` if there is no such agent. */
  prompt(agent: string): string | undefined
  /**
   * Decides on a waiting call. Rejects with `approval_unknown`, or with `store_locked` while another process
   * runs it.
   */
  decide(runId: string, approvalId: string, decision: ApprovalDecision): Promise<void>
}
