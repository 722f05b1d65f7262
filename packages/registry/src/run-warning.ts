import type { ErrorCode } from '@troupe/schema'

/** A problem that does not end the run. */
export interface RunWarning {
  readonly code: ErrorCode
  readonly message: string
  /** True if the problem affects the result; the report then lists it. */
  readonly weakens?: boolean
}

/** Called with each warning. */
export type Warn = (warning: RunWarning) => void
