import type { RunOptions, RunReport } from './runner.ts'

/** The options that a run may get when it starts, after it was accepted. */
export type StartOptions = Pick<
  RunOptions,
  'signal' | 'onEvent' | 'deltas' | 'approve' | 'ask' | 'wait' | 'resumable' | 'budget' | 'spendingLimit'
>

/**
 * A run whose request is stored, and which has not started. If the process ends first, `resume` starts it
 * from the store. A run of an agent that stores nothing, or only metadata, ends with the process.
 */
export interface AcceptedRun {
  readonly runId: string
  /** Starts the run. Resolves for every outcome. Call it once, and not after `release`. */
  start(options?: StartOptions): Promise<RunReport>
  /** Releases the run without starting it, so that another process can start it from the store. */
  release(): Promise<void>
}

/** Returns true if a run was accepted, and false for the report of a run that was refused. */
export function isAccepted(result: AcceptedRun | RunReport): result is AcceptedRun {
  return 'start' in result
}
