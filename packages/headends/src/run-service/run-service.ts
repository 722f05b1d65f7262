import {
  type ApprovalDecision,
  type JsonObject,
  type RunReport,
  toFailure,
  troupeError,
  OUTCOMES,
  failure,
  type WriteTarget,
} from '@troupe/schema'
import type { RootRunRecord, RunLabel, RunStore, SessionChange, SessionKey } from '@troupe/schema/ports'
import { createRunHub, type RunHub } from '../feeds/run-hub.ts'
import { createActivity, withActivity } from './run-activity.ts'
import { errorBody } from '../headend/errors.ts'
import type { HeadendContext } from '../headend/headend.ts'
import { createAgentStats, type StatsRequest, type TeamStats } from './agent-stats.ts'
import { createApprovalTracker, listApprovals, requireOpen, type ApprovalList } from './approvals.ts'
import { listDecisions, type DecisionPage, type DecisionPageRequest } from './decisions.ts'
import {
  createApprovalLink,
  decisionOfLink,
  readApprovalLink,
  type ApprovalLink,
  type ApprovalLinkRequest,
  type LinkedApproval,
} from './approval-links.ts'
import { createStoredClientCalls, type StoredClientCalls } from './client-calls.ts'
import {
  changeSession,
  deleteSession,
  replacedMessage,
  viewSession,
  type ReplacedMessage,
  type SessionView,
} from './change-sessions.ts'
import { decideCall } from './decide-call.ts'
import { createCreatedSessions, type CreatedSessions } from './created-sessions.ts'
import { listSessions, type SessionPage, type SessionPageRequest } from './list-sessions.ts'
import {
  findOwner,
  findRun,
  type RunRef,
  isPersisted,
  DETACHED_NOTE,
  readRequest,
  type StoredRunRequest,
} from './stored-run.ts'
import {
  type StartedRun,
  awaitStart,
  launchRun,
  STOP_REQUESTED,
  retryRun,
  type RetryChanges,
  startRun,
  startRunOnce,
  type StartOnceRequest,
  type StartRunRequest,
} from './start-run.ts'
import { createChangedRuns, type ChangedRuns } from './changed-runs.ts'
import { listRuns, type RunPage, type RunPageRequest } from './list-runs.ts'
import { createMemoryRuns, type ReadStore } from './memory-runs.ts'
import { readSessionsVersion } from './sessions-version.ts'
import { recoverRuns } from './recover-runs.ts'
import type { RunServiceContext, RunFork, RunHost } from './run-service-context.ts'
import {
  readSummary,
  readRunState,
  readStoredRequest,
  runPrompts,
  type RunPrompt,
  type RunView,
  viewRun,
} from './run-view.ts'

/**
 * A service that starts, finds, follows and cancels runs that belong to no connection. `events` also returns
 * those of runs that are not persisted.
 */
export interface RunService
  extends Pick<RunHub, 'join' | 'publish'>, Pick<ReadStore, 'events' | 'steps' | 'follow'> {
  /**
   * Resolves when the run is active or queued. A run that ends before anything is persisted resolves with its
   * report. Rejects on misuse.
   */
  start(run: StartRunRequest): Promise<StartedRun | RunReport>
  /** Like `start`, but returns the known run if this process or the store has one with this id. */
  startOnce(run: StartOnceRequest): Promise<StartedRun | RunReport>
  /** Returns the principal of a run, `undefined` if the run is not known. */
  ownerOf(runId: string): Promise<string | undefined>
  /**
   * Returns a page of the runs of a principal or of all, the newest first. Rejects with `request_invalid` for an
   * unknown `before`.
   */
  list(request: RunPageRequest): Promise<RunPage>
  /** Returns the figures of the agents in the newest runs of a principal, or of all. */
  agentStats(request: StatsRequest): Promise<TeamStats>
  /** Creates a reader of the changes of the list of runs, also by other processes. */
  changedRuns(): ChangedRuns
  /**
   * Calls the listener when a run of this process starts, ends, waits or gets a decision or a label, or when a
   * session is changed or deleted, so that a list has changed. Returns a function that removes it.
   */
  onActivity(listener: () => void): () => void
  /** Returns a text that changes with the list of sessions of a principal, or of all, also by other processes. */
  sessionsVersion(principal: string | undefined): Promise<string>
  /** Returns a page of the stored sessions of a principal, the one with the newest run first. */
  listSessions(request: SessionPageRequest): Promise<SessionPage>
  /** Returns a session and the branches of its conversation. Like the next two, it rejects with `session_unknown`. */
  viewSession(session: SessionKey): Promise<SessionView>
  /** Names or archives the conversation of a session. */
  changeSession(session: SessionKey, change: Pick<SessionChange, 'name' | 'archived'>): Promise<SessionView>
  /** Deletes the runs of a conversation and its branches. Rejects with `session_busy` if one of them is active. */
  deleteSession(session: SessionKey): Promise<void>
  /**
   * Finds the message that a run answers, to replace it in a new conversation. Rejects with `run_not_resumable`,
   * or with `session_mismatch` if the conversation `branch` exists.
   */
  replacedMessage(run: RunRef, branch: string | undefined): Promise<ReplacedMessage>
  /** Notes the message that a session replaces, once its first run is stored. */
  addBranch(session: SessionKey, branchOf: ReplacedMessage['branchOf']): Promise<void>
  /** Returns all open approvals and questions of the runs of a principal, or of all, that can be answered here. */
  approvals(principal: string | undefined): Promise<ApprovalList>
  /** Returns a page of the decisions on approvals and questions, the newest first. */
  decisions(request: DecisionPageRequest): Promise<DecisionPage>
  /**
   * Returns a run. Like all methods below that take a principal, it rejects with `run_unknown` if the run does
   * not exist or belongs to another principal.
   */
  view(runId: string, principal: string): Promise<RunView>
  /** Returns the state of a run without its result, and whether a process works on it. */
  readState(
    runId: string,
    principal: string,
  ): Promise<Pick<RunView, 'state' | 'lastSeq'> & Pick<RootRunRecord, 'open' | 'changedAt'>>
  /** Returns the stored request of a run; `undefined` if only metadata or nothing is stored. */
  request(runId: string, principal: string): Promise<StoredRunRequest | undefined>
  /** Adds fields to the stored note of a run that no process works on. */
  addNote(runId: string, principal: string, note: JsonObject): Promise<void>
  /** Sets the label of a run, or removes it, and returns the run. Rejects if the run is not stored. */
  label(runId: string, principal: string, label: RunLabel | undefined): Promise<RunView>
  /** Cancels a run for good and returns it. A run that has ended stays as it is. */
  stop(runId: string, principal: string): Promise<RunView>
  /** Repeats a run as a new run. */
  retry(runId: string, principal: string, changes?: RetryChanges): Promise<StartedRun | RunReport>
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
   * Reads the file that a waiting call would write; `undefined` for calls that write none. Rejects with
   * `run_unknown` or `approval_unknown`.
   */
  writeTarget(call: RunRef & { readonly approvalId: string }): Promise<WriteTarget | undefined>
  /** Creates a link with which its holder decides once on a call. */
  createLink(request: ApprovalLinkRequest): Promise<ApprovalLink>
  /** Returns the call that a link decides. Rejects with `approval_unknown` if the link cannot be used. */
  readLink(token: string): Promise<LinkedApproval>
  /** Decides with a link, and resumes the run. Rejects with `approval_unknown` if the link cannot be used. */
  decideByLink(
    token: string,
    decision: Pick<ApprovalDecision, 'decision' | 'reason'>,
  ): Promise<Pick<ApprovalDecision, 'decision'>>
  /**
   * Resumes the runs of this service that no process works on, for example after a crash. Resolves with their
   * number.
   */
  recover(): Promise<number>
  /** The calls of stored runs that wait for their clients. */
  readonly clientCalls: StoredClientCalls
  /** The sessions that were created before their first run. */
  readonly sessions: CreatedSessions
  isLive(runId: string): boolean
  /** Stops resuming runs. Suspended runs are left to the next process; active runs continue. */
  drain(): void
  /** Interrupts all runs. Persisted runs can be resumed. */
  close(): Promise<void>
}

/** Dependencies of a run service. */
interface RunServiceOptions {
  /** Resumes, forks and decides on runs. */
  readonly host: RunHost
  readonly store: ReadStore & Pick<RunStore, 'setLabel' | 'sessions' | 'purge'>
  readonly context: Pick<HeadendContext, 'clock' | 'newId' | 'runner' | 'connected' | 'onError' | 'onRecover'>
}

/** Creates a run service over a host that persists its runs in this store. */
export function createRunService({ host, store, context }: RunServiceOptions): RunService {
  const activity = createActivity()
  const hub = withActivity(createRunHub(), activity.notify)
  const memoryRuns = createMemoryRuns(store, context.clock)
  const serviceContext: RunServiceContext = {
    ...context,
    host,
    store: memoryRuns.store,
    memoryRuns,
    setLabel: (rootRunId, label) => store.setLabel(rootRunId, label),
    sessions: store.sessions,
    deletedSessions: new Map(),
    purge: (rootRunIds) => store.purge(rootRunIds),
    hub,
    live: new Map(),
    starting: new Map(),
    approvals: createApprovalTracker(memoryRuns.store),
    isDraining: false,
  }
  return {
    join: hub.join,
    publish: hub.publish,
    events: memoryRuns.store.events,
    steps: memoryRuns.store.steps,
    ...(store.follow === undefined ? {} : { follow: store.follow }),
    start: (run) => startRun(run, serviceContext),
    startOnce: (run) => startRunOnce(run, serviceContext),
    ownerOf: (runId) => findOwner(runId, serviceContext),
    list: (request) => listRuns(request, serviceContext),
    agentStats: createAgentStats(memoryRuns.store),
    changedRuns: () => createChangedRuns(serviceContext),
    onActivity: activity.listen,
    listSessions: (request) => listSessions(request, serviceContext),
    viewSession: (session) => viewSession(session, serviceContext),
    sessionsVersion: (principal) => readSessionsVersion(principal, serviceContext),
    changeSession: (session, change) =>
      changeSession(session, change, serviceContext).finally(activity.notify),
    deleteSession: (session) => deleteSession(session, serviceContext).finally(activity.notify),
    replacedMessage: (run, branch) => replacedMessage(run, branch, serviceContext),
    async addBranch(session, branchOf) {
      await store.sessions.set(session, { branchOf })
    },
    approvals: (principal) => listApprovals(principal, serviceContext),
    decisions: (request) => listDecisions(request, serviceContext),
    view: (runId, principal) => viewRun({ runId, principal }, serviceContext),
    readState: (runId, principal) => readRunState({ runId, principal }, serviceContext),
    request: (runId, principal) => readStoredRequest({ runId, principal }, serviceContext),
    async addNote(runId, principal, note) {
      await findRun({ runId, principal }, serviceContext)
      await host.addNote(runId, note)
    },
    label: (runId, principal, label) =>
      labelRun({ runId, principal }, label, serviceContext).finally(activity.notify),
    stop: (runId, principal) => stopRun({ runId, principal }, serviceContext),
    retry: (runId, principal, changes = {}) => retryRun({ runId, principal }, changes, serviceContext),
    fork: (fork, principal) => forkRun({ ...fork, principal }, serviceContext),
    prompts: (runId, principal) => runPrompts({ runId, principal }, serviceContext),
    decide: (call, principal) => decideCall({ ...call, principal }, serviceContext),
    writeTarget: async ({ approvalId, ...ref }) => {
      const open = await serviceContext.approvals.read(await findRun(ref, serviceContext))
      return host.writeTarget(requireOpen(open, approvalId))
    },
    createLink: (request) => createApprovalLink(request, serviceContext),
    readLink: (token) => readApprovalLink(token, serviceContext),
    async decideByLink(token, { decision, reason }) {
      const requested = { decision, ...(reason === undefined ? {} : { reason }) }
      await decideCall(await decisionOfLink(token, requested, serviceContext), serviceContext)
      return { decision }
    },
    recover: () => recoverRuns(serviceContext),
    clientCalls: createStoredClientCalls(serviceContext),
    sessions: createCreatedSessions(serviceContext),
    isLive: (runId) => serviceContext.live.has(runId),
    drain() {
      serviceContext.isDraining = true
      serviceContext.stopRecovery?.()
    },
    close: () => closeRuns(serviceContext),
  }
}

/** Sets or removes the label of a run. Rejects with `run_unknown`. */
async function labelRun(
  ref: RunRef,
  label: RunLabel | undefined,
  context: Pick<RunServiceContext, 'live' | 'store' | 'host' | 'setLabel'>,
): Promise<RunView> {
  await findRun(ref, context)
  if (!(await context.setLabel(ref.runId, label)))
    throw troupeError('run_unknown', `The run ${ref.runId} is not stored, so it cannot have a label.`, {
      fix: 'Set `store` to `full` or `metadata` in the card of its agent.',
    })
  return viewRun(ref, context)
}

/** A run to fork, and the turn to fork it at. */
type ForkRequest = RunRef & Pick<RunFork, 'at' | 'acceptChanges' | 'prompts'>

/** Forks a run at a turn. Rejects with `run_unknown`, or with `agent_unknown` if its agent is not served. */
async function forkRun(
  { runId, principal, ...fork }: ForkRequest,
  context: RunServiceContext,
): Promise<StartedRun | RunReport> {
  const { host, newId } = context
  await findRun({ runId, principal }, context)
  const { priority } = await requireServed(runId, context)
  const newRunId = newId('run')
  const note = { ...DETACHED_NOTE, forkOf: { runId, at: fork.at } }
  const launched = launchRun(
    {
      runId: newRunId,
      principal,
      async execute(launchOptions) {
        const { report } = await host.fork(runId, {
          ...launchOptions,
          ...fork,
          note,
          principal,
          priority,
          runId: newRunId,
        })
        return report
      },
    },
    context,
  )
  return awaitStart(launched, context)
}

/** Returns the request of a run whose agent is served. */
async function requireServed(runId: string, { runner, store }: RunServiceContext): Promise<StoredRunRequest> {
  const request = await readRequest(store, runId)
  const name = request?.agent.name ?? ''
  if (request === undefined || !runner.agents().some((agent) => agent.name === name))
    throw troupeError('agent_unknown', `No agent "${name}" is served.`, {
      fix: 'Choose a run of a served agent.',
    })
  return request
}

/**
 * Cancels a run for good and returns it. A run that is active here ends by itself and persists its own
 * report; one that has ended stays as it is. Rejects with `run_unknown`.
 */
async function stopRun(ref: RunRef, context: RunServiceContext): Promise<RunView> {
  const running = context.live.get(ref.runId)
  if (running?.principal === ref.principal) {
    running.stop.abort(STOP_REQUESTED)
    const report = await running.done
    const { queued } = running
    if (queued !== undefined && !(await isPersisted(ref.runId, context))) return endedBefore(queued, report)
  }
  const connected = context.connected?.get(ref.runId)
  if (connected?.principal === ref.principal) {
    connected.stop.abort(STOP_REQUESTED)
    await connected.done
  }
  const summary = await readSummary(context, await findRun(ref, context))
  if (summary === undefined || !hasEnded(summary)) await endInterrupted(ref, context)
  return viewRun(ref, context)
}

function hasEnded({ state }: Pick<RunView, 'state'>): boolean {
  return OUTCOMES.some((outcome) => outcome === state)
}

/** Creates the view of a run that ended before its first event. */
function endedBefore(queued: RunView, report: RunReport | undefined): RunView {
  const {
    outcome = 'cancelled',
    error = STOP_REQUESTED,
    usage,
    output,
    durationMs = 0,
    activeMs = 0,
  } = report ?? {}
  return {
    ...queued,
    state: outcome,
    durationMs,
    activeMs,
    ...(output === undefined ? {} : { output }),
    ...(usage === undefined ? {} : { usage }),
    ...errorBody(error),
  }
}

/** Ends a suspended or interrupted run by resuming it and cancelling immediately. */
async function endInterrupted(
  { runId, principal }: RunRef,
  { host, hub }: Pick<RunServiceContext, 'host' | 'hub'>,
): Promise<void> {
  try {
    await host.resume(runId, { principal, signal: AbortSignal.abort(STOP_REQUESTED), onEvent: hub.publish })
  } catch (thrown) {
    const { code } = toFailure(thrown)
    // Only metadata or nothing is stored, so there is no run left to end.
    if (code !== 'run_unknown' && code !== 'run_not_resumable') throw thrown
  }
}

/** Interrupts all runs. Persisted runs can be resumed. */
async function closeRuns(
  context: Pick<RunServiceContext, 'live' | 'memoryRuns' | 'isDraining' | 'stopRecovery'>,
): Promise<void> {
  const { live, memoryRuns } = context
  context.isDraining = true
  context.stopRecovery?.()
  const running = [...live.values()]
  for (const { stop } of running) stop.abort(failure('run_cancelled', 'The server has shut down.'))
  await Promise.all(running.map(({ done }) => done))
  memoryRuns.close()
}
