import type { PreparedAgent } from '@troupe/schema'
import type { LoggedRun } from '../log/run-log.ts'
import type { TruncatedResults } from './read-result.ts'

/** A run that can call its tools. */
export interface ToolRun extends LoggedRun {
  readonly prepared: PreparedAgent
  /** Hook state of scope `run`. */
  readonly hookState: Map<string, unknown>
  readonly truncated: TruncatedResults
}
