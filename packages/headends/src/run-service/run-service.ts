import type { ApprovalDecision, JsonObject, RunReport } from '@troupe/schema'
import { createRunHub, type RunHub } from '../feeds/run-hub.ts'
import type { HeadendContext } from '../headend/headend.ts'
import { createApprovalTracker, listApprovals, type ApprovalList } from './approvals.ts'
import { decideCall } from './decide-call.ts'
import { forkRun } from './fork-run.ts'
import type { StartedRun } from './launch-run.ts'
import { listRuns, type RunPage, type RunPageRequest } from './list-runs.ts'
import { createMemoryRuns, type ReadStore } from './memory-runs.ts'
import { recoverRuns } from './recover-runs.ts'
import type { RunServiceContext, RunFork, RunHost } from './run-service-context.ts'
import { readRunState, readNote, runPrompts, type RunPrompt, type RunView, viewRun } from './run-view.ts'
import { retryRun, startRun, type StartRunRequest } from './start-run.ts'
import { closeRuns, stopRun } from './stop-run.ts'

/**
 * A service that starts, finds, follows and cancels runs that belong to no connection. `events` also returns
 * those of runs that are not persisted.
 */
export interface RunService extends Pick<RunHub, 'join'>, Pick<ReadStore, 'events'> {
  /**
   * Resolves when the run is active or queued. A run that ends before anything is persisted resolves with its
   * report. Rejects on misuse.
   */
  start(run: StartRunRequest): Promise<StartedRun | RunReport>
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
export interface RunServiceOptions {
  /** Resumes, forks and decides on runs. */
  readonly host: RunHost
  readonly store: ReadStore
  readonly context: Pick<HeadendContext, 'clock' | 'newId' | 'runner' | 'connected' | 'onError'>
}

/** Creates a run service over a host that persists its runs in this store. */
export function createRunService({ host, store, context }: RunServiceOptions): RunService {
  const hub = createRunHub()
  const memoryRuns = createMemoryRuns(store, context.clock)
  const serviceContext: RunServiceContext = {
    ...context,
    host,
    store: memoryRuns.store,
    memoryRuns,
    hub,
    live: new Map(),
    approvals: createApprovalTracker(memoryRuns.store),
    isDraining: false,
  }
  return {
    join: hub.join,
    events: memoryRuns.store.events,
    start: (run) => startRun(run, serviceContext),
    list: (request) => listRuns(request, serviceContext),
    approvals: (principal) => listApprovals(principal, serviceContext),
    view: (runId, principal) => viewRun({ runId, principal }, serviceContext),
    look: (runId, principal) => readRunState({ runId, principal }, serviceContext),
    note: (runId, principal) => readNote({ runId, principal }, serviceContext),
    stop: (runId, principal) => stopRun({ runId, principal }, serviceContext),
    retry: (runId, principal) => retryRun({ runId, principal }, serviceContext),
    fork: (fork, principal) => forkRun({ ...fork, principal }, serviceContext),
    prompts: (runId, principal) => runPrompts({ runId, principal }, serviceContext),
    decide: (call, principal) => decideCall({ ...call, principal }, serviceContext),
    recover: () => recoverRuns(serviceContext),
    isLive: (runId) => serviceContext.live.has(runId),
    drain() {
      serviceContext.isDraining = true
      serviceContext.stopRecovery?.()
    },
    close: () => closeRuns(serviceContext),
  }
}
