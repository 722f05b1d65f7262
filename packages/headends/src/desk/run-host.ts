import type { AgentRunner, ApprovalDecision, RunOptions, RunReport } from '@troupe/schema'

/** Where a run is forked, and with what. */
export interface RunFork extends Pick<RunOptions, 'signal' | 'onEvent' | 'wait' | 'resumable' | 'note'> {
  /** The turn from which it goes on live: `2` of the root, `1.2/3` of the run that its call 1.2 opened. */
  readonly at: string
  /** The id of the new run. */
  readonly runId: string
  /** Goes on with cards that have changed since. */
  readonly acceptChanges: boolean
  /** Whom the run works for. */
  readonly principal: string
  /** Prompts in place of those of the cards, by the names of their agents. */
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

/** What keeps, resumes and decides on runs, beside starting them; a host with a store does. */
export interface RunHost extends Pick<AgentRunner, 'run'> {
  /** Resumes a run of the store. `onEvent` receives all events of the run, from the first. */
  resume(runId: string, options: RunResumption): Promise<RunReport>
  /** Goes on from a step of a run of the store as a new run. Rejects with `run_step_unknown`, `run_changed`, `run_not_resumable`, `spending_limited`. */
  fork(runId: string, fork: RunFork): Promise<{ readonly report: RunReport }>
  /** The prompt of an agent as it is now; undefined: there is no such agent. */
  prompt(agent: string): string | undefined
  /** Decides on a call that waits. Rejects with `approval_unknown`, and `store_locked` while another process runs it. */
  decide(runId: string, approvalId: string, decision: ApprovalDecision): Promise<void>
}
