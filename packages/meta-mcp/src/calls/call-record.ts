import type { Failure, Outcome } from '@troupe/schema'

/** Record of a call, without arguments and answer. */
export interface CallRecord {
  readonly agent: string
  /** Name of the tool in the card. */
  readonly tool: string
  /** Version of the tool. */
  readonly version: string
  readonly contextId: string
  /** Wall time in ms. */
  readonly startedAt: number
  /** SHA-256 of the arguments as canonical JSON. */
  readonly argumentsHash: string
  /** `undefined` if no run was started. */
  readonly runId?: string
  readonly outcome: Outcome
  readonly error?: Failure
  /** Duration of the run in ms. */
  readonly durationMs?: number
  /** In USD; `null` if a price is not known. */
  readonly cost?: number | null
  /** Set if the answer came from the cache. */
  readonly isCached?: true
}
