import type { Failure } from '../errors.ts'
import type { RunProblem } from '../run-problem.ts'
import type { RunRequest, RunResult } from '../run.ts'
import type { Usage } from '../usage.ts'
import type { RunTreeContext } from './run-tree-context.ts'

/**
 * Starts runs, in this process or elsewhere. `start` is idempotent by run id. Only the run tree context may
 * contain functions; everything else is plain data.
 */
export interface RunExecutor {
  start(request: RunRequest, root: RunTreeContext, control: RunControl): Promise<RunResult>
}

/** Cancellation, deadline and accounting of a child run by its parent. */
export interface RunControl {
  /** Aborts when the parent ends, with a {@link Failure} as reason. */
  readonly signal: AbortSignal
  /**
   * The same for runs in this process. Cheaper than a signal, because thousands of runs may wait and few of
   * them need a signal.
   */
  readonly stop?: CancellationToken
  /** Deadline of the parent. It is paused while an approval below is pending. */
  readonly deadline: Deadline | undefined
  /** Account that receives the child's usage in addition to its own. */
  readonly account: Account
}

/** A cancellation that fires at most once, with a reason. */
export interface CancellationToken {
  /** The reason; `undefined` if not cancelled. */
  readonly reason: Failure | undefined
  /**
   * Calls `fn` on cancellation, immediately if already cancelled. Returns a function that removes the
   * listener.
   */
  onCancel(fn: (reason: Failure) => void): () => void
}

/** A limit on active time, which can be paused. */
export interface Deadline {
  /** Returns the remaining active time in ms, at least 0. */
  remaining(): number
  /** Pauses this deadline and those above it. Returns a function that continues them. */
  pause(): () => void
}

/** Collects usage by agent, and problems, of a run and everything above it. */
export interface Account {
  add(agent: string, usage: Usage, unpricedModel?: string): void
  addProblem(problem: RunProblem): void
}
