import { failure, outcomeOf, type Failure, type Outcome } from '@troupe/schema'
import type { Run } from './run.ts'

/** The end of a run before it is appended. */
export interface RunEnd {
  readonly outcome: Outcome
  readonly text: string
  readonly failure?: Failure
}

/** Creates the end of a run that was stopped by its deadline, its parent or its caller. */
export function endOfStoppedRun(run: Run): RunEnd {
  const reason = run.cancellation.reason ?? failure('run_cancelled', 'The run was stopped.')
  return { outcome: outcomeOf(reason), text: run.lastText, failure: reason }
}
