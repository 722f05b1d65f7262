import type { AgentRunner, ApprovalDecision, RunOptions, RunReport } from '@troupe/schema'

/** What keeps, resumes and decides on runs, beside starting them; a host with a store does. */
export interface RunHost extends Pick<AgentRunner, 'run'> {
  /** Goes on with a run of the store; `onEvent` hears everything from the beginning. */
  resume(
    runId: string,
    options?: Pick<RunOptions, 'signal' | 'onEvent' | 'wait' | 'resumable'>,
  ): Promise<RunReport>
  /** Decides on a call that waits. Rejects with `approval_unknown`, and `store_locked` while another process runs it. */
  decide(runId: string, approvalId: string, decision: ApprovalDecision): Promise<void>
}
