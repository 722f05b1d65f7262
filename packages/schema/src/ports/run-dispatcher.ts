import type { Failure } from '../errors/errors.ts'
import type { RunEvent } from '../events/event.ts'
import type { RunRequest, RunResult, TeamOverrides } from '../agents/run.ts'
import type { ApprovalDecision } from './approver.ts'
import type { Budget, BudgetLedger } from './budget-ledger.ts'
import type { RunExecutor } from './run-executor.ts'
import type { RunTreeLog } from './run-store.ts'

/** Settings of a run tree that its workers need in addition to the requests of its runs. Plain JSON. */
export interface RunTreeSettings {
  /** `limits.maxRuns` of the root run. */
  readonly maxRuns: number
  readonly maxDepth: number
  /** Set if tools that need an approval are not offered. */
  readonly headless?: true
  /** Set if the run tree is suspended while it only waits for decisions. */
  readonly waits?: true
  /** Budget of the root run, in addition to the limits of its card. */
  readonly budget?: Budget
  /** Time limit of the root run in ms, instead of that of its card. */
  readonly timeout?: number
  /** Priority of all runs in the queues, lower first. Default: 100. */
  readonly priority?: number
  /** Overrides of the cards, with secrets sealed. */
  readonly team?: TeamOverrides
}

/** A run that a worker executes: a root run, or a child run of a run on any worker. Plain JSON. */
export interface RunTask {
  /** The request with secrets sealed, and without a history that is stored with an earlier run. */
  readonly request: RunRequest
  readonly tree: RunTreeSettings
}

/** State of a task. `waiting`: suspended until a decision is made. */
export type RunTaskState = 'queued' | 'running' | 'waiting' | 'ended'

/** A task that is no longer active. */
export type SettledTask =
  /** `failure` is the reason if the run has no stored end. */
  | { readonly state: 'ended'; readonly failure?: Failure }
  | { readonly state: 'waiting'; readonly approvalIds: readonly string[] }

/**
 * Hands root runs to workers. The requests and logs of all runs are in a store that host and workers share.
 * All methods are idempotent.
 */
export interface RunDispatcher {
  /** Returns the state of a run; `undefined` if it was never submitted. */
  find(runId: string): Promise<RunTaskState | undefined>
  /** Queues a root run, unless it is already known. */
  submit(task: RunTask): Promise<void>
  /**
   * Resolves when a root run has ended, or is suspended. Resolves with `undefined` if the run is unknown, or
   * when `signal` aborts.
   */
  waitUntilSettled(rootRunId: string, signal: AbortSignal): Promise<SettledTask | undefined>
  /**
   * Calls the listener with the stored events of a run tree, in order, and with transient events as `follow` of
   * the store does. Returns a function that stops it.
   */
  follow(
    rootRunId: string,
    range: { readonly after: number; readonly wantsTransient?: () => boolean },
    listener: (event: RunEvent) => void,
  ): () => void
  /**
   * Cancels a run and all runs below it. Resolves with `withdrawn` if no worker had started the run: the
   * caller then ends it.
   */
  cancel(runId: string): Promise<'cancelled' | 'withdrawn' | 'ended'>
  /**
   * Stores a decision and continues the runs that wait for it. Resolves with false if it was decided before.
   */
  decide(call: RunDecision): Promise<boolean>
  close(): Promise<void>
}

/** A decision on a pending call of a run. */
export interface RunDecision {
  readonly rootRunId: string
  /** The run that asks. */
  readonly runId: string
  readonly approvalId: string
  readonly decision: ApprovalDecision
}

/** Services of a worker for one execution of a task. */
export interface TaskServices {
  /** Log of the run, which this execution alone writes. */
  readonly log: RunTreeLog
  /** Returns the stored events of the run and the runs below it; empty on the first execution. */
  readEvents(): Promise<readonly RunEvent[]>
  /** Starts child runs on workers. */
  readonly executor: RunExecutor
  readonly budgetLedger: BudgetLedger
  /**
   * Aborts with a `Failure`. With the code `run_cancelled` the run ends as cancelled; with any other it is
   * interrupted.
   */
  readonly signal: AbortSignal
  /** Decisions of this run that are stored. */
  readonly decisions: readonly RunDecision[]
  /** Calls the listener with decisions that are made during the execution. Returns a function that stops it. */
  onDecision(listener: (decision: RunDecision) => void): () => void
}

/** Result of one execution of a task. `interrupted`: it can be continued from its stored steps. */
export type TaskResult =
  | { readonly state: 'ended'; readonly result: RunResult }
  | { readonly state: 'waiting'; readonly approvalIds: readonly string[] }
  | { readonly state: 'interrupted' }

/** Executes tasks in this process. Implemented by the host of a worker. */
export interface TaskRunner {
  /**
   * Executes a run, or continues it from its stored steps. A failure of the run is part of its result. Rejects
   * with `run_changed` if the cards of the run or of those above it are not loaded in the same version.
   */
  execute(task: RunTask, services: TaskServices): Promise<TaskResult>
}
