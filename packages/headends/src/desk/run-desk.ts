import { CellMap, type ApprovalDecision, type JsonObject, type RunReport } from '@troupe/schema'
import { createRunHub, type RunHub } from '../feeds/run-hub.ts'
import type { HeadendContext } from '../headend.ts'
import type { StartedRun } from './await-begin.ts'
import { createApprovalTracker } from './approval-tracker.ts'
import { closeRuns } from './close-runs.ts'
import { decideCall } from './decide-call.ts'
import type { DeskContext } from './desk-context.ts'
import { forkRun } from './fork-run.ts'
import { listApprovals, type ApprovalList } from './list-approvals.ts'
import { listRuns, type RunPage, type RunPageRequest } from './list-runs.ts'
import { lookAtRun } from './look-at-run.ts'
import { readNote } from './read-note.ts'
import { recoverRuns } from './recover-runs.ts'
import { retryRun } from './retry-run.ts'
import type { RunFork, RunHost } from './run-host.ts'
import { runPrompts, type RunPrompt } from './run-prompts.ts'
import type { RunView } from './run-view.ts'
import { startRun, type DeskRun } from './start-run.ts'
import { stopRun } from './stop-run.ts'
import { createUnkeptRuns, type ReadStore } from './unkept-runs.ts'
import { viewRun } from './view-run.ts'

/**
 * A service that starts, finds, follows and cancels runs that belong to no connection. `events` also returns
 * those of runs that are not persisted.
 */
export interface RunDesk extends Pick<RunHub, 'join'>, Pick<ReadStore, 'events'> {
  /**
   * Resolves when the run is active or queued. A run that ends before anything is persisted resolves with its
   * report. Rejects on misuse.
   */
  start(run: DeskRun): Promise<StartedRun | RunReport>
  /**
   * Returns a page of the runs of a principal, the newest first. Rejects with `request_invalid` for an
   * unknown `before`.
   */
  list(request: RunPageRequest): Promise<RunPage>
  /** Returns all open approvals and questions that a principal may answer here. */
  approvals(principal: string): Promise<ApprovalList>
  /**
   * Returns a run. Rejects with `run_unknown`, also for runs of other principals; so do all methods below
   * that take a principal.
   */
  view(runId: string, principal: string): Promise<RunView>
  /** Returns the state of a run without its result. */
  look(runId: string, principal: string): Promise<Pick<RunView, 'state' | 'lastSeq'>>
  /** Returns the note of a run; `undefined` if it has none. */
  note(runId: string, principal: string): Promise<JsonObject | undefined>
  /** Cancels a run for good and returns it. A run that has ended stays as it is. */
  stop(runId: string, principal: string): Promise<RunView>
  /** Repeats a run as a new run. */
  retry(runId: string, principal: string): Promise<StartedRun | RunReport>
  /** Forks a run at a turn as a new run. Earlier turns are reused and not paid for again. */
  fork(
    fork: Pick<RunFork, 'at' | 'acceptChanges' | 'prompts'> & { readonly runId: string },
    principal: string,
  ): Promise<StartedRun | RunReport>
  /** Returns the known prompts of the agents of a run. */
  prompts(runId: string, principal: string): Promise<readonly RunPrompt[]>
  /** Decides on a waiting call and resumes the run. */
  decide(
    call: { readonly runId: string; readonly approvalId: string; readonly decision: ApprovalDecision },
    principal: string,
  ): Promise<void>
  /**
   * Resumes the runs of this service that no process works on, for example after a crash. Resolves with their
   * number.
   */
  recover(): Promise<number>
  isLive(runId: string): boolean
  /** Stops resuming runs. Suspended runs are left to the next process; active runs continue. */
  drain(): void
  /** Interrupts all runs. Persisted runs can be resumed. */
  close(): Promise<void>
}

/** Dependencies of a run service. */
export interface RunDeskParts {
  /** Resumes, forks and decides on runs. */
  readonly host: RunHost
  readonly store: ReadStore
  readonly context: Pick<HeadendContext, 'clock' | 'newId' | 'runner' | 'connected' | 'onError'>
}

/** Creates a run service over a host that persists its runs in this store. */
export function createRunDesk({ host, store, context }: RunDeskParts): RunDesk {
  const hub = createRunHub()
  const unkept = createUnkeptRuns(store, context.clock)
  const desk: DeskContext = {
    ...context,
    host,
    store: unkept.store,
    unkept,
    hub,
    live: new CellMap(),
    approvals: createApprovalTracker(unkept.store),
    isDraining: false,
  }
  return {
    join: hub.join,
    events: unkept.store.events,
    start: (run) => startRun(run, desk),
    list: (request) => listRuns(request, desk),
    approvals: (principal) => listApprovals(principal, desk),
    view: (runId, principal) => viewRun({ runId, principal }, desk),
    look: (runId, principal) => lookAtRun({ runId, principal }, desk),
    note: (runId, principal) => readNote({ runId, principal }, desk),
    stop: (runId, principal) => stopRun({ runId, principal }, desk),
    retry: (runId, principal) => retryRun({ runId, principal }, desk),
    fork: (fork, principal) => forkRun({ ...fork, principal }, desk),
    prompts: (runId, principal) => runPrompts({ runId, principal }, desk),
    decide: (call, principal) => decideCall({ ...call, principal }, desk),
    recover: () => recoverRuns(desk),
    isLive: (runId) => desk.live.has(runId),
    drain() {
      desk.isDraining = true
      desk.stopRecovery?.()
    },
    close: () => closeRuns(desk),
  }
}
