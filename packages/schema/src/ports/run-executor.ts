import type { RunRequest, RunResult } from '../agents/run.ts'
import type { CancellationToken, Deadline } from '../values/clock.ts'
import type { RunProblem } from '../values/run-problem.ts'
import type { Usage } from '../values/usage.ts'
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
  /** Aborts when the parent ends, with a `Failure` as reason. */
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
  /**
   * Pauses the time limit of the child, and of nothing above it, while it waits for a worker. Returns a
   * function that continues it. Absent for a root run.
   */
  pauseWhileQueued?(): () => void
}

/** Collects usage by agent, and problems, of a run and everything above it. */
export interface Account {
  add(agent: string, usage: Usage, unpricedModel?: string): void
  addProblem(problem: RunProblem): void
}
