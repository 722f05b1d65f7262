import {
  createOnceCalls,
  createRootScope,
  type ApprovalGateControl,
  type Cancellation,
  type OpenOnceCalls,
} from '@troupe/core'
import {
  failure,
  troupeError,
  type Account,
  type AgentDefinition,
  type Asker,
  type Budget,
  type Failure,
  type RunControl,
  type RunReport,
  type RunTreeApprover,
  type RunTreeContext,
} from '@troupe/schema'
import { openApprovalGate } from './approval-gate.ts'
import { collectUnpriced, toReport } from './report.ts'
import type { OpenRootRun } from './root-run.ts'
import type { RootRunsContext } from './runs-context.ts'

/** Runs a root run, whether started, resumed, recorded or replayed. Its log is closed on return. */
export async function executeRootRun(
  root: OpenRootRun,
  context: RootRunsContext,
  stop: Cancellation,
): Promise<RunReport> {
  const { starter, request, log, options } = root
  const definition = withTimeout(root.definition, options.timeout)
  const unpriced = collectUnpriced()
  const gate = openApprovalGate(root, context, stop)
  const stopWatching = watch(root)
  const unlink = addAbortListener(options.signal, (reason) => interrupt(root, stop, reason))
  const onceCalls = openOnceCalls(root, context, stop)
  try {
    const scope = toRootScope({ ...root, definition }, context, {
      ...toHumanInput(root, context, gate.waiting),
      onceCalls,
    })
    const control = new RootControl(stop, unpriced)
    const result = await starter.run(definition, request, { root: scope, control })
    root.onResult?.(result)
    const { format } = request.output ?? definition.output
    return toReport(result, { format, sessionId: request.sessionId, unpriced })
  } finally {
    unlink()
    context.onceCalls.delete(onceCalls)
    // A suspended root run returns only after its log is closed.
    await gate.close()
    stopWatching()
    await log.close()
  }
}

/** Tracks the `once` calls of a root run. It is interrupted before a call that may not start. */
function openOnceCalls(root: OpenRootRun, context: RootRunsContext, stop: Cancellation): OpenOnceCalls {
  const onceCalls = createOnceCalls(() =>
    interrupt(root, stop, failure('run_cancelled', 'The process is ending.')),
  )
  if (context.holdsOnceCalls) onceCalls.close()
  context.onceCalls.add(onceCalls)
  return onceCalls
}

/** Controls a root run. A class, because every root run has one and its signal is created only on access. */
class RootControl implements RunControl {
  readonly stop: Cancellation
  readonly deadline = undefined
  readonly account: Account

  constructor(stop: Cancellation, account: Account) {
    this.stop = stop
    this.account = account
  }

  get signal(): AbortSignal {
    return this.stop.signal
  }
}

/** Reuses remembered approvals. Without an approver, calls with no remembered approval suspend the run. */
function toHumanInput(
  { team, request, options }: OpenRootRun,
  { approvals }: RootRunsContext,
  waiting: ApprovalGateControl | undefined,
): RootHumanInput {
  // A resumed run remains headless if it was started so.
  const { approve, ask, headless = request.headless } = options
  const { sessionId, principal } = request
  const root = { session: { sessionId, principal }, locateCard: team.locateCard }
  const humanInput = { ask, headless, waiting }
  if (approve !== undefined) return { ...humanInput, approve: approvals.wrapApprover(approve, root) }
  const waits = waiting !== undefined && headless !== true
  return { ...humanInput, approve: waits ? (call) => approvals.findApproval(call, root) : undefined }
}

function withTimeout(definition: AgentDefinition, timeout: number | undefined): AgentDefinition {
  return timeout === undefined
    ? definition
    : Object.freeze({ ...definition, limits: { ...definition.limits, timeout } })
}

/** Subscribes the listener of the caller, for a resumed run from the first event. */
function watch({ options: { onEvent, deltas = true }, log, past }: OpenRootRun): () => void {
  if (onEvent === undefined) return () => undefined
  return log.subscribe(onEvent, { deltas, ...(past === undefined ? {} : { after: 0 }) })
}

/** Interrupts a run on request of its caller: suspends it if it is resumable, else cancels it. */
function interrupt({ options, log, request }: OpenRootRun, stop: Cancellation, reason: unknown): void {
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

function interruptedFailure(runId: string, reason: unknown): Failure {
  const { code, message } = (reason ?? {}) as Partial<Failure>
  // A bare `abort()` has no meaningful reason.
  const why = typeof code === 'string' ? `: ${message}` : '.'
  return failure(
    'run_interrupted',
    `The run was interrupted${why}`,
    `Resume it: troupe run --resume ${runId}`,
  )
}

/**
 * Sources of human input for a root run: approver, asker and approval gate. Also the `once` calls that an
 * interruption waits for.
 */
interface RootHumanInput {
  readonly approve: RunTreeApprover | undefined
  readonly ask: Asker | undefined
  readonly headless: boolean | undefined
  readonly waiting: ApprovalGateControl | undefined
  readonly onceCalls?: OpenOnceCalls
}

/** Creates the scope shared by all runs of a run tree. Throws `usage_invalid` for an invalid budget. */
function toRootScope(
  { definition, options, team, log, past, recording }: OpenRootRun,
  { clock, random, limiter }: RootRunsContext,
  humanInput: RootHumanInput,
): RunTreeContext {
  const { executor, redactor } = team
  const root = createRootScope({
    ...humanInput,
    executor,
    redactor,
    log,
    past,
    recording,
    clock,
    random,
    limiter,
    limits: definition.limits,
    budget: requirePositiveBudget(options.budget),
    spendingLimit: options.spendingLimit,
  })
  // Counts the root run, or all runs started before a resume.
  const startedRuns = past?.runCount ?? 1
  for (let count = 0; count < startedRuns; count += 1) root.budgetLedger.openRun(root.maxRuns)
  return root
}

/** Throws unless all values are positive numbers, since any other cap would not limit anything. */
function requirePositiveBudget(budget: Budget | undefined): Budget | undefined {
  for (const [key, value] of Object.entries(budget ?? {})) {
    if (value === undefined || (typeof value === 'number' && value > 0)) continue
    throw troupeError('usage_invalid', `budget.${key}: ${String(value)} is not a number above 0.`)
  }
  return budget
}

/** Calls `act` with the reason when the signal aborts. Returns a function that removes the listener. */
function addAbortListener(signal: AbortSignal | undefined, act: (reason: unknown) => void): () => void {
  if (signal === undefined) return () => undefined
  const abort = (): void => act(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return () => signal.removeEventListener('abort', abort)
}
