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

/** Runs that belong to nobody's connection: they are started, watched, stopped and decided on by their ids. `events` are those of the store, and of runs that are not kept. */
export interface RunDesk extends Pick<RunHub, 'join'>, Pick<ReadStore, 'events'> {
  /** Resolves when the run is at work or waits for room; a run that ends before anything of it is kept gives its report. Rejects on misuse. */
  start(run: DeskRun): Promise<StartedRun | RunReport>
  /** Returns a page of the runs of a principal, the last begun first. Rejects with `request_invalid` for an unknown `before`. */
  list(request: RunPageRequest): Promise<RunPage>
  /** Returns all open approvals and questions that a principal may answer here. */
  approvals(principal: string): Promise<ApprovalList>
  /** Rejects with `run_unknown`, also for a run of somebody else; so do all that follow. */
  view(runId: string, principal: string): Promise<RunView>
  /** How a run stands, without what it gave. */
  look(runId: string, principal: string): Promise<Pick<RunView, 'state' | 'lastSeq'>>
  /** What was kept with a run when it was begun; undefined: nothing. */
  note(runId: string, principal: string): Promise<JsonObject | undefined>
  /** Ends a run for good, and gives it as it is then. One that has ended stays as it is. */
  stop(runId: string, principal: string): Promise<RunView>
  /** Starts the same again, as a new run. */
  retry(runId: string, principal: string): Promise<StartedRun | RunReport>
  /** Goes on from a turn of a run as a new run: what came before is taken over and not paid again. */
  fork(
    fork: Pick<RunFork, 'at' | 'acceptChanges' | 'prompts'> & { readonly runId: string },
    principal: string,
  ): Promise<StartedRun | RunReport>
  /** The prompts that the agents of a run had, as far as they are known now. */
  prompts(runId: string, principal: string): Promise<readonly RunPrompt[]>
  /** Decides on a call that waits; the run goes on. */
  decide(
    call: { readonly runId: string; readonly approvalId: string; readonly decision: ApprovalDecision },
    principal: string,
  ): Promise<void>
  /** Goes on with runs of this desk that no process works on any more: after a crash. Resolves with how many there are. */
  recover(): Promise<number>
  isLive(runId: string): boolean
  /** Resumes no further run: those that wait for a decision are left to the next process. Runs at work go on. */
  drain(): void
  /** Interrupts all runs; what is kept of them can be resumed. */
  close(): Promise<void>
}

/** What a desk is made of. */
export interface RunDeskParts {
  /** Whose `run` is that of the context. */
  readonly host: RunHost
  readonly store: ReadStore
  readonly context: Pick<HeadendContext, 'clock' | 'newId' | 'runner' | 'connected' | 'onError'>
}

/** Opens a desk over a host that keeps its runs in this store. */
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
