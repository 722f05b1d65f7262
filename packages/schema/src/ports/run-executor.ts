import type { Failure } from '../errors.ts'
import type { RunProblem } from '../run-problem.ts'
import type { RunRequest, RunResult } from '../run.ts'
import type { Usage } from '../usage.ts'
import type { RootScope } from './root-scope.ts'

/** Starts runs somewhere. `start` is idempotent on the run's id. No closures cross this line but the root's own scope. */
export interface RunExecutor {
  start(request: RunRequest, root: RootScope, control: RunControl): Promise<RunResult>
}

/** How a parent holds a running child. */
export interface RunControl {
  /** Aborts when the parent ends, with a {@link Failure} as reason. */
  readonly signal: AbortSignal
  /** The same in this process: thousands of runs cannot listen to one signal cheaply, and hardly a run needs one. */
  readonly stop?: StopSource
  /** The parent's deadline stands still while an approval below is open. */
  readonly deadline: Deadline | undefined
  /** Where the child's usage goes beside its own account. */
  readonly account: Account
}

/** Tells once when to stop, and why. */
export interface StopSource {
  /** Undefined while it goes on. */
  readonly reason: Failure | undefined
  /** Calls `fn` when it stops (at once if it has); the answer takes the listener back. */
  onStop(fn: (reason: Failure) => void): () => void
}

/** Active time until a moment: stands still while paused. */
export interface Deadline {
  /** Active ms left; at least 0. */
  remaining(): number
  /** Stops the clock of this deadline and of those above it; the answer starts it again. */
  pause(): () => void
}

/** Collects usage by agent, and problems, for a run and everything above it. */
export interface Account {
  add(agent: string, usage: Usage, unpricedModel?: string): void
  addProblem(problem: RunProblem): void
}
