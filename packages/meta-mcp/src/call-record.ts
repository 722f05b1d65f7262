import type { Failure, Outcome } from '@troupe/schema'

/** What is kept of one call: who was asked what, and how it ended. Arguments and answers are not in it. */
export interface CallRecord {
  /** As the card has it. */
  readonly tool: string
  readonly contextId: string
  /** None: no run was started. */
  readonly runId?: string
  readonly outcome: Outcome
  readonly error?: Failure
  readonly durationMs?: number
}
