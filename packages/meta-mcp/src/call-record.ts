import type { Failure, Outcome } from '@troupe/schema'

/** What is kept of one call: who was asked what, and how it ended. Arguments and answers are not in it. */
export interface CallRecord {
  readonly agent: string
  /** As the card has it. */
  readonly tool: string
  /** Of the tool. */
  readonly version: string
  readonly contextId: string
  /** Wall time in ms. */
  readonly startedAt: number
  /** SHA-256 of the arguments as canonical JSON: the same for the same call. */
  readonly argumentsHash: string
  /** None: no run was started. */
  readonly runId?: string
  readonly outcome: Outcome
  readonly error?: Failure
  /** Of the run. */
  readonly durationMs?: number
  /** In USD, null where a price is not known. */
  readonly cost?: number | null
  /** The answer of an earlier call was given again. */
  readonly isCached?: true
}
