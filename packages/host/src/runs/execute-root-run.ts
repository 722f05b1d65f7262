import {
  createApprovalGate,
  createOnceCalls,
  createOpenRequests,
  createRunTreeContext,
  type ApprovalGateControl,
  type Cancellation,
  type OpenOnceCalls,
  type OpenRequestsControl,
} from '@troupe/core'
import {
  failure,
  readTraceContext,
  troupeError,
  type AgentDefinition,
  type Budget,
  type Failure,
  type RunReport,
  type RunOptions,
} from '@troupe/schema'
import { prioritySchema } from '@troupe/schema/agent-keys'
import type {
  Account,
  RunTreeApprover,
  RunTreeContext,
  ResumeState,
  RunRequest,
  RunResult,
  RunTrace,
  RunTreeLog,
  RunTreeRecording,
  RunTreeSettings,
  TaskServices,
  TeamOverrides,
} from '@troupe/schema/ports'
import { isComposed } from '@troupe/registry'
import { sessionOf } from '../conversations/conversation-turn.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'
import type { RunHandle, RunsContext } from './runs-context.ts'
import { collectUnpriced, toReport } from './report.ts'
import { openTrace } from './open-trace.ts'
import { mergeChanges } from './stored-run.ts'

/** The parts of a team that a root run shares with the runs below it. */
type RootTeam = Pick<TeamSnapshot, 'executor' | 'redactor' | 'storeDetailOf' | 'locateCard' | 'telemetry'>

/** A root run with its request and an open log, whether started, resumed, forked or replayed. */
export interface RootRun {
  readonly team: RootTeam
  readonly definition: AgentDefinition
  readonly request: RunRequest
  readonly options: RunOptions
  readonly log: RunTreeLog
  /** State of the run to resume. `onEvent` then gets all events from the beginning. */
  readonly past?: ResumeState
  /** Records or replays the root run. */
  readonly recording?: RunTreeRecording
  /** Set if the run is one task of a run tree that several workers execute. It may then be a child run. */
  readonly task?: { readonly tree: RunTreeSettings; readonly services: TaskServices }
  onResult?(result: RunResult): void
}

/**
 * Creates the request of a root run as it is stored, without its history. Throws `usage_invalid` for an invalid
 * priority.
 */
export function toRequest(
  definition: AgentDefinition,
  input: string,
  options: RunOptions & { readonly runId: string },
): RunRequest {
  const { runId, attachments, output, note, priority, headless, clientTools, clientInstructions } = options
  const team = overridesOf(options)
  const traceContext = options.traceContext && readTraceContext(options.traceContext)
  return {
    runId,
    rootRunId: runId,
    agent: { name: definition.name, digest: definition.digest },
    instance: definition.name,
    input,
    ...(attachments === undefined ? {} : { attachments }),
    ...(output === undefined ? {} : { output }),
    ...(note === undefined ? {} : { note }),
    ...(traceContext === undefined ? {} : { traceContext }),
    ...(team === undefined ? {} : { team }),
    ...(priority === undefined ? {} : { priority: requirePriority(priority) }),
    ...(headless === true ? { headless: true as const } : {}),
    ...(isComposed(definition) ? { composed: true as const } : {}),
    ...(clientTools === undefined ? {} : { clientTools }),
    ...(clientInstructions === undefined ? {} : { clientInstructions }),
    ancestry: [],
    ...sessionOf(options, runId),
  }
}

/** Returns the overrides of the cards in the options of a run, `undefined` if there are none. */
export function overridesOf({
  model,
  overrides,
}: Pick<RunOptions, 'model' | 'overrides'>): TeamOverrides | undefined {
  return mergeChanges(overrides, model === undefined ? {} : { model })
}

/**
 * Runs a root run in this process, whether started, resumed, recorded or replayed. A run that only waits for
 * decisions is suspended. The log is closed on return.
 */
export async function executeRootRun(
  root: RootRun,
  handle: RunHandle,
  context: RunsContext,
): Promise<RunReport> {
  const { request, definition } = root
  const unpriced = collectUnpriced()
  const { result } = await executeRun(root, { handle, account: unpriced }, context)
  root.onResult?.(result)
  const { format } = request.output ?? definition.output
  return toReport(result, { format, sessionId: request.sessionId, unpriced })
}

/**
 * Executes one run and those below it that its executor runs in this process. `waitsFor` lists the open
 * approvals of a run that was suspended. The log is closed on return.
 */
export async function executeRun(
  root: RootRun,
  { handle: { stop, attach }, account }: { readonly handle: RunHandle; readonly account: Account },
  context: RunsContext,
): Promise<{ readonly result: RunResult; readonly waitsFor?: readonly string[] }> {
  const { team, request, log, options, task } = root
  const definition = withTimeout(root.definition, options.timeout)
  let closing: unknown
  let waitsFor: readonly string[] | undefined
  const suspend = (approvalIds: readonly string[]): void => {
    if (!log.isPersistent) return options.onSuspend?.()
    waitsFor = approvalIds
    // Close the log before cancelling, so that the end is not persisted and the run can be resumed.
    closing = log.close()
    stop.cancel(waitingFailure(request.runId, approvalIds))
    return undefined
  }
  const isForClient = !isSuspendable(root)
  const approvals =
    isForClient && !mayWaitForClient(root)
      ? undefined
      : createApprovalGate({ clock: context.clock, isForClient, suspend })
  const onceCalls = createOnceCalls(() =>
    interrupt(root, stop, failure('run_cancelled', 'The process is exiting.')),
  )
  const openRequests = createOpenRequests()
  const detach = attach({ approvals, openRequests, onceCalls })
  const stopDecisions = task?.services.onDecision(({ approvalId, decision }) =>
    approvals?.decide(approvalId, decision),
  )
  const stopWatching = watch(root)
  const traced = openTrace(root, context)
  const unlink = addAbortListener(options.signal, (reason) => interrupt(root, stop, reason))
  try {
    const scope = openScope(
      { ...root, definition },
      { approvals, openRequests, onceCalls, trace: traced?.trace },
      context,
    )
    const control = {
      stop,
      deadline: undefined,
      account,
      get signal() {
        return stop.signal
      },
    }
    const result = await team.executor.run(definition, request, { root: scope, control })
    return waitsFor === undefined ? { result } : { result, waitsFor }
  } finally {
    unlink()
    stopDecisions?.()
    detach()
    // A suspended root run returns only after its log is closed.
    await closing
    stopWatching()
    await traced?.close()
    await log.close()
  }
}

/** Returns true if the run can be suspended, which requires a full log. */
function isSuspendable({ options, log }: RootRun): boolean {
  const { wait, approve, ask } = options
  return wait === true && (approve === undefined || ask === undefined) && log.isPersistent
}

/** Returns true if calls of the client's tools may wait, in the store or in this process. */
function mayWaitForClient({ options, log, request }: RootRun): boolean {
  return request.clientTools !== undefined && (log.isPersistent || options.onSuspend !== undefined)
}

/** Creates the failure of a run that is suspended. */
export function waitingFailure(runId: string, approvalIds: readonly string[]): Failure {
  const [first = '', ...others] = approvalIds
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return failure(
    'run_waiting',
    `The run is waiting for a decision on ${first}${more}.`,
    `The run continues after your decision: troupe runs approve ${runId} ${first}`,
  )
}

function withTimeout(definition: AgentDefinition, timeout: number | undefined): AgentDefinition {
  return timeout === undefined
    ? definition
    : Object.freeze({ ...definition, limits: { ...definition.limits, timeout } })
}

/** Subscribes the listener of the caller, for a resumed run from the first event. */
function watch({ options: { onEvent, deltas = true }, log, past }: RootRun): () => void {
  if (onEvent === undefined) return () => undefined
  return log.subscribe(onEvent, { deltas: deltas !== false, ...(past === undefined ? {} : { after: 0 }) })
}

/** Interrupts a run on request of its caller: suspends it if it is resumable, else cancels it. */
function interrupt({ options, log, request }: RootRun, stop: Cancellation, reason: unknown): void {
  const { resumable = false } = options
  const isResumable = typeof resumable === 'function' ? resumable(reason) : resumable
  if (!isResumable || !log.isPersistent || log.detach === undefined) {
    // Callers may abort with any value; the run converts it to a failure.
    stop.cancel(reason as Failure)
    return
  }
  // Detach the log before cancelling, so that the end is not persisted and the run can be resumed.
  log.detach()
  stop.cancel(interruptedFailure(request.runId, reason))
}

/** Creates the failure of a run that can be resumed. */
export function interruptedFailure(runId: string, reason: unknown): Failure {
  const { code, message } = (reason ?? {}) as Partial<Failure>
  // A bare `abort()` has no meaningful reason.
  const why = typeof code === 'string' ? `: ${message}` : '.'
  return failure(
    'run_interrupted',
    `The run was interrupted${why}`,
    `Resume it: troupe run --resume ${runId}`,
  )
}

/** Creates the scope shared by all runs of a run tree. Throws `usage_invalid` for an invalid budget. */
function openScope(
  root: RootRun,
  {
    approvals,
    openRequests,
    onceCalls,
    trace,
  }: {
    readonly approvals: ApprovalGateControl | undefined
    readonly openRequests: OpenRequestsControl
    readonly onceCalls: OpenOnceCalls
    readonly trace: RunTrace | undefined
  },
  context: RunsContext,
): RunTreeContext {
  const { definition, request, options, team, log, past, recording, task } = root
  const { clock, random, limiter } = context
  // A resumed run remains headless if it was started so.
  const { ask, headless = task === undefined ? request.headless : task.tree.headless } = options
  const scope = createRunTreeContext({
    approve: approverOf(root, { waits: approvals?.isForClient === false && headless !== true }, context),
    ask,
    headless,
    approvalGate: approvals,
    openRequests,
    callerTools: options.tools,
    interceptor: options.interceptor,
    onceCalls,
    executor: task?.services.executor ?? team.executor,
    redactor: team.redactor,
    log,
    resumeState: past,
    recording,
    trace,
    clock,
    random,
    limiter,
    limits: task?.tree ?? definition.limits,
    budget: requirePositiveBudget(options.budget),
    spendingLimit: options.spendingLimit,
    budgetLedger: task?.services.budgetLedger,
  })
  if (task !== undefined) return scope
  // Counts the root run, or all runs started before a resume.
  const startedRuns = past?.runCount ?? 1
  for (let count = 0; count < startedRuns; count += 1) scope.budgetLedger.openRun(scope.maxRuns)
  return scope
}

/** Reuses remembered approvals. Without an approver, calls with no remembered approval suspend the run. */
function approverOf(
  { team, request, options: { approve } }: RootRun,
  { waits }: { readonly waits: boolean },
  { approvals }: RunsContext,
): RunTreeApprover | undefined {
  const { sessionId, principal } = request
  const root = { session: { sessionId, principal }, locateCard: team.locateCard }
  if (approve !== undefined) return approvals.wrapApprover(approve, root)
  return waits ? (call) => approvals.findApproval(call, root) : undefined
}

/** Throws unless all values are positive numbers, since any other cap would not limit anything. */
export function requirePositiveBudget(budget: Budget | undefined): Budget | undefined {
  for (const [key, value] of Object.entries(budget ?? {})) {
    if (value === undefined || (typeof value === 'number' && value > 0)) continue
    throw troupeError('usage_invalid', `budget.${key} must be a number greater than 0, not ${String(value)}.`)
  }
  return budget
}

function requirePriority(priority: number): number {
  if (prioritySchema.safeParse(priority).success) return priority
  throw troupeError('usage_invalid', `priority must be an integer from 1 to 1000, not ${String(priority)}.`)
}

/** Calls `act` with the reason when the signal aborts. Returns a function that removes the listener. */
export function addAbortListener(
  signal: AbortSignal | undefined,
  act: (reason: unknown) => void,
): () => void {
  if (signal === undefined) return () => undefined
  const abort = (): void => act(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return () => signal.removeEventListener('abort', abort)
}
