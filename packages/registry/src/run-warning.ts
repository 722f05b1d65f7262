import type { ErrorCode } from '@troupe/schema'

/** Something that is not as it should be and does not end the run. */
export interface RunWarning {
  readonly code: ErrorCode
  readonly message: string
  /** The result is weaker for it: the report lists it as a problem. */
  readonly weakens?: boolean
}

/** Receives a warning. */
export type Warn = (warning: RunWarning) => void
