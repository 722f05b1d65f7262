import type { ApprovalDecision, JsonObject, RunReport, RunOptions, WriteTarget } from '@troupe/schema'
import type { AcceptedRun, RunStore, SessionKey } from '@troupe/schema/ports'
import type { RunHub } from '../feeds/run-hub.ts'
import type { HeadendContext } from '../headend/headend.ts'
import type { ApprovalTracker } from './approvals.ts'
import type { ReadStore, MemoryRuns } from './memory-runs.ts'
import type { RunView } from './run-view.ts'
import type { StartedRun } from './start-run.ts'

/** Shared state and dependencies of the operations of a run service. */
export interface RunServiceContext extends Pick<
  HeadendContext,
  'clock' | 'newId' | 'runner' | 'connected' | 'onError' | 'onRecover'
> {
  readonly host: RunHost
  readonly store: ReadStore
  readonly memoryRuns: MemoryRuns
  /** Sets labels in the store. */
  readonly setLabel: RunStore['setLabel']
  /** Names of sessions in the store. */
  readonly sessions: RunStore['sessions']
  /** Numbers of conversations that this process has deleted, by principal. */
  readonly deletedSessions: Map<string, number>
  /** Deletes runs from the store. */
  readonly purge: RunStore['purge']
  readonly approvals: ApprovalTracker
  /** Feeds of the runs that clients follow. */
  readonly hub: RunHub
  /** Active runs of this process, by run id. */
  readonly live: Map<string, LiveRun>
  /** Starts in progress of runs with a given id, by run id. */
  readonly starting: Map<string, Promise<StartedRun | RunReport>>
  /** True if the process is shutting down. Suspended runs are then left to the next process. */
  isDraining: boolean
  /** Stops checking runs whose leases other processes hold; `undefined` if there are none. */
  stopRecovery?: () => void
}

/** An active run of this process. */
export interface LiveRun {
  readonly principal: string
  /** View of a new run, used until its first event is persisted; `undefined` for a resumed or forked run. */
  readonly queued?: RunView
  readonly stop: AbortController
  /** Resolves when the run has ended or was suspended, with `undefined` if it was refused. Never rejects. */
  readonly done: Promise<RunReport | undefined>
}

/** Options of a fork. */
export interface RunFork extends Pick<
  RunOptions,
  'signal' | 'onEvent' | 'deltas' | 'wait' | 'resumable' | 'note'
> {
  /** Turn from which the fork runs live: `2` of the root run, `1.2/3` of the run that its call 1.2 opened. */
  readonly at: string
  /** Id of the new run. */
  readonly runId: string
  /** True to continue with cards that have changed since. */
  readonly acceptChanges: boolean
  /** Principal that the run works for. */
  readonly principal: string
  /** Priority of the original run, for the queue of the server. */
  readonly priority?: number | undefined
  /** Prompts that replace those of the cards, by agent name. */
  readonly prompts?: Readonly<Record<string, string>>
}

/** Options for resuming a run. */
interface RunResumption extends Pick<
  RunOptions,
  'signal' | 'onEvent' | 'deltas' | 'approve' | 'ask' | 'wait' | 'resumable' | 'budget' | 'timeout'
> {
  /** Principal that the run works for. */
  readonly principal: string
  /** Stored priority of the run, for the queue of the server. */
  readonly priority?: number | undefined
}

/** Operations on persisted runs. A host with a store provides them. */
export interface RunHost {
  /**
   * Accepts a run and stores its request, so that it starts after a restart. `start` of the result waits until
   * the run is admitted. Returns the report of a run that is refused. Rejects on misuse, or with `server_busy`.
   */
  accept(agent: string, input: string | JsonObject, options: RunOptions): Promise<AcceptedRun | RunReport>
  /** Resumes a run of the store, or starts one that was only accepted. `onEvent` receives all events of the run, from the first. */
  resume(runId: string, options: RunResumption): Promise<RunReport>
  /**
   * Forks a run of the store at a step as a new run. Rejects with `run_step_unknown`, `run_changed`,
   * `run_not_resumable` or `spending_limited`.
   */
  fork(runId: string, fork: RunFork): Promise<{ readonly report: RunReport }>
  /** Returns the current prompt of an agent, or `undefined` if there is no such agent. */
  prompt(agent: string): string | undefined
  /** Reads the file that a waiting call would write; `undefined` for calls that write none. */
  writeTarget(call: {
    readonly agent: string
    readonly toolName: string
    readonly args: JsonObject
  }): Promise<WriteTarget | undefined>
  /** Returns true if the run is active here and waits for a person who is present, such as the user of its client. */
  isWaiting(runId: string): boolean
  /**
   * Decides on a waiting call. Rejects with `approval_unknown`, or with `approval_elsewhere` while another process
   * waits for the answer.
   */
  decide(runId: string, approvalId: string, decision: ApprovalDecision): Promise<void>
  /** Adds fields to the stored note of a run. Rejects with `store_locked` while a process runs it. */
  addNote(runId: string, note: JsonObject): Promise<void>
  /** Stores a session without runs, with a note. It is stored as a root run with the id of the session that never starts. */
  createSession(session: SessionKey, note: JsonObject): Promise<void>
}
