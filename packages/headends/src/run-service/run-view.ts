import {
  isJsonObject,
  openApprovals,
  toUsageReport,
  type EventPayloads,
  type Json,
  type RunEvent,
  type RunProblem,
  type UsageReport,
  getOwn,
  OUTCOMES,
  toFailure,
  type Outcome,
} from '@troupe/schema'
import type { RootRunRecord, RunLabel } from '@troupe/schema/ports'
import { accountsOf } from '@troupe/timeline'
import { errorBody, type ErrorBody } from '../headend/errors.ts'
import { toOpenApproval, type OpenApproval } from './approvals.ts'
import {
  findRun,
  queuedRun,
  unknownRun,
  type RunRef,
  readRequest,
  type StoredRunRequest,
} from './stored-run.ts'
import type { ReadStore } from './memory-runs.ts'
import type { RunHost, RunServiceContext } from './run-service-context.ts'

/** A run with its result. */
export interface RunView extends RunSummary {
  readonly output?: EventPayloads['run-end']['output']
  readonly error?: ErrorBody['error']
  /** Run and turn that this run was forked from. */
  readonly forkOf?: { readonly runId: string; readonly at: string }
  /** Id of the run that this run repeats. */
  readonly retryOf?: string
  /** True if the run tried a card that was not saved. */
  readonly isTrial?: true
  /** Model that replaces the models of the cards. */
  readonly model?: string
  /** Usage of the run tree, so far if it has not ended. */
  readonly usage?: UsageReport & { readonly byAgent: Readonly<Record<string, UsageReport>> }
  /** Tool calls, child runs and warnings that weaken the result; `undefined` if the run has not ended. */
  readonly problems?: readonly RunProblem[]
  /** Number of problems, including those that are not listed. */
  readonly problemCount?: number
  /** Calls of the run tree that wait for a decision. */
  readonly approvals: readonly OpenApproval[]
  /** The `seq` of the last event. */
  readonly lastSeq: number
}

/** Dependencies of the readers of runs. */
export interface SummaryContext {
  readonly store: ReadStore
  readonly host: Pick<RunHost, 'isWaiting'>
}

/** Reads a root run. Returns `undefined` if it was neither started nor accepted. */
export async function readView(context: SummaryContext, root: RootRunRecord): Promise<RunView | undefined> {
  const { store } = context
  const [events, request] = await Promise.all([
    store.events(root.rootRunId),
    readRequest(store, root.rootRunId),
  ])
  const [first] = events
  if (first?.type !== 'run-start') {
    const queued = request === undefined ? undefined : queuedSummary(root, request)
    return queued && { ...queued, ...originOf(request), approvals: [], lastSeq: 0 }
  }
  const end = endOf(root, events.at(-1))
  return {
    ...toSummary(root, { first, last: events.at(-1) }, context),
    ...(end === undefined ? { usage: usageSoFar(events) } : resultOf(end)),
    ...(end?.error === undefined ? {} : errorBody(end.error)),
    ...originOf(request),
    approvals: openApprovals(events).map(toOpenApproval),
    lastSeq: events.at(-1)?.seq ?? 0,
  }
}

/** Returns the fields of a view that come from the stored request. */
function originOf({ note = {}, team = {} }: Partial<StoredRunRequest> = {}): Pick<
  RunView,
  'forkOf' | 'retryOf' | 'isTrial' | 'model'
> {
  const { forkOf, retryOf, trial } = note
  const { model } = team
  return {
    ...(isForkOf(forkOf) ? { forkOf } : {}),
    ...(typeof retryOf === 'string' ? { retryOf } : {}),
    ...(trial === true ? { isTrial: true } : {}),
    ...(model === undefined ? {} : { model }),
  }
}

function isForkOf(value: Json | undefined): value is { readonly runId: string; readonly at: string } {
  return isJsonObject(value) && typeof value['runId'] === 'string' && typeof value['at'] === 'string'
}

function resultOf(end: RootEnd): Pick<RunView, 'output' | 'usage' | 'problems' | 'problemCount'> {
  const { output, problems = [], problemCount = 0 } = end
  return { output, usage: usageOf(end), problems, problemCount }
}

function usageSoFar(events: readonly RunEvent[]): NonNullable<RunView['usage']> {
  const { total, byAgent } = accountsOf(events)
  const unpriced = new Set(
    events.flatMap((event) => (event.type === 'usage' && event.cost === null ? [event.model] : [])),
  )
  return usageOf({
    usage: total,
    byAgent: Object.fromEntries(byAgent.map(({ agent, usage }) => [agent, usage])),
    unpriced: [...unpriced],
  })
}

function usageOf({
  usage,
  byAgent,
  unpriced,
}: Pick<RootEnd, 'usage' | 'byAgent' | 'unpriced'>): NonNullable<RunView['usage']> {
  const rows = Object.entries(byAgent).map(([agent, own]) => [agent, toUsageReport(own, [])] as const)
  return { ...toUsageReport(usage, unpriced), byAgent: Object.fromEntries(rows) }
}

/** Returns a run with its result. Rejects with `run_unknown`. */
export async function viewRun(
  ref: RunRef,
  context: SummaryContext & Pick<RunServiceContext, 'live'>,
): Promise<RunView> {
  const queued = await queuedRun(ref, context)
  if (queued !== undefined) return queued
  const view = await readView(context, await findRun(ref, context))
  if (view === undefined) throw unknownRun(ref.runId)
  return view
}

/** Returns the state of a run without its result. Rejects with `run_unknown`. */
export async function readRunState(
  ref: RunRef,
  context: SummaryContext & Pick<RunServiceContext, 'live'>,
): Promise<Pick<RunView, 'state' | 'lastSeq'> & Pick<RootRunRecord, 'open' | 'changedAt'>> {
  const queued = await queuedRun(ref, context)
  if (queued !== undefined) return { ...queued, open: true }
  const root = await findRun(ref, context)
  const summary = await readSummary(context, root)
  if (summary === undefined) throw unknownRun(ref.runId)
  const { open, changedAt, lastSeq } = root
  return { state: summary.state, lastSeq, open, ...(changedAt === undefined ? {} : { changedAt }) }
}

/**
 * Returns the stored request of a run, with the fields that were added to its note later. `undefined` if only
 * metadata or nothing is stored. Rejects with `run_unknown`.
 */
export async function readStoredRequest(
  ref: RunRef,
  context: Pick<RunServiceContext, 'live' | 'store'>,
): Promise<StoredRunRequest | undefined> {
  if ((await queuedRun(ref, context)) === undefined) await findRun(ref, context)
  return readRequest(context.store, ref.runId)
}

/** The prompt of one agent of a run. */
export interface RunPrompt {
  readonly agent: string
  readonly prompt: string
}

/** Returns the known prompts of the agents of a run. Rejects with `run_unknown`. */
export async function runPrompts(
  ref: RunRef,
  context: Pick<RunServiceContext, 'host' | 'store'>,
): Promise<readonly RunPrompt[]> {
  const { host, store } = context
  const { runId } = ref
  await findRun(ref, context)
  const { team } = (await readRequest(store, runId)) ?? {}
  const names = new Set((await store.events(runId)).map(({ agent }) => agent))
  return [...names].flatMap((agent) => {
    const prompt = getOwn(team?.prompts ?? {}, agent) ?? host.prompt(agent)
    return prompt === undefined ? [] : [{ agent, prompt }]
  })
}

/**
 * State of a run. `interrupted`: no process works on it, and it can be resumed. `damaged`: its stored events
 * are corrupt.
 */
export type RunState = Outcome | 'queued' | 'running' | 'waiting' | 'interrupted' | 'damaged'

/** All states of a run. */
export const RUN_STATES: readonly RunState[] = [
  ...OUTCOMES,
  'queued',
  'running',
  'waiting',
  'interrupted',
  'damaged',
]

const OPEN_STATES: readonly RunState[] = ['queued', 'running', 'waiting', 'interrupted']

/** Returns true for the state of a run that has ended, or that is damaged. */
export function isEndState(state: RunState): boolean {
  return !OPEN_STATES.includes(state)
}

/** A run in a list. */
export interface RunSummary {
  readonly runId: string
  readonly agent: string
  readonly state: RunState
  readonly sessionId: string
  /** Wall time of the start, in ms. */
  readonly startedAt: number
  /**
   * Wall time in ms from the first start to the end, or to the last event of an interrupted run. `undefined`
   * for other unfinished runs.
   */
  readonly durationMs?: number
  /** Part of the duration in which the run was active, in ms. */
  readonly activeMs?: number
  /** Cost in USD; `null` if a price is unknown, `undefined` if the run has not ended. */
  readonly cost?: number | null
  /** Empty if only metadata is stored. */
  readonly input: string
  /** Level of detail that is stored. */
  readonly detail: RootRunRecord['detail']
  /** The judgement of a person; `undefined` if there is none. */
  readonly label?: RunLabel
  /** Owner of the run. Only set in a list of the runs of all principals. */
  readonly principal?: string
}

/**
 * Reads the first and the last event of a root run. Returns `undefined` if it was neither started nor
 * accepted, and a `damaged` summary if its events are corrupt.
 */
export async function readSummary(
  context: SummaryContext,
  root: RootRunRecord,
): Promise<RunSummary | undefined> {
  const { store } = context
  try {
    const [first] = await store.events(root.rootRunId, { limit: 1 })
    const [last] = await store.events(root.rootRunId, { after: root.lastSeq - 1, limit: 1 })
    if (first?.type === 'run-start') return toSummary(root, { first, last }, context)
    const request = await readRequest(store, root.rootRunId)
    return request === undefined ? undefined : queuedSummary(root, request)
  } catch (thrown) {
    if (toFailure(thrown).code === 'store_corrupt') return damagedSummary(root)
    throw thrown
  }
}

/** Creates the summary of a root run that was accepted and has not started. */
function queuedSummary(root: RootRunRecord, request: StoredRunRequest): RunSummary {
  const { rootRunId, changedAt = 0, detail } = root
  const { agent, sessionId, input } = request
  return {
    runId: rootRunId,
    agent: agent.name,
    state: 'queued',
    sessionId,
    startedAt: changedAt,
    input,
    detail,
    ...labelField(root),
  }
}

/** Creates a summary from the first and the last event of a root run. */
function toSummary(
  root: RootRunRecord,
  {
    first,
    last,
  }: {
    readonly first: Extract<RunEvent, { readonly type: 'run-start' }>
    readonly last: RunEvent | undefined
  },
  { host }: SummaryContext,
): RunSummary {
  const end = endOf(root, last)
  const state = end?.outcome ?? stateOf(root, last, host)
  return {
    runId: root.rootRunId,
    agent: first.agent,
    state,
    sessionId: first.sessionId,
    startedAt: first.time,
    ...(end === undefined
      ? interruptedTime(state, first.time, last)
      : {
          durationMs: end.durationMs,
          activeMs: end.activeMs ?? end.durationMs,
          cost: toUsageReport(end.usage, end.unpriced).cost,
        }),
    input: first.input,
    detail: root.detail,
    ...labelField(root),
  }
}

function labelField({ label }: RootRunRecord): Pick<RunSummary, 'label'> {
  return label === undefined ? {} : { label }
}

function interruptedTime(
  state: RunState,
  startedAt: number,
  last: RunEvent | undefined,
): Pick<RunSummary, 'durationMs'> {
  return state === 'interrupted' && last !== undefined ? { durationMs: last.time - startedAt } : {}
}

function damagedSummary(root: RootRunRecord): RunSummary {
  const { rootRunId, session, changedAt = 0, detail } = root
  const sessionId = session?.sessionId ?? rootRunId
  return {
    runId: rootRunId,
    agent: '',
    state: 'damaged',
    sessionId,
    startedAt: changedAt,
    input: '',
    detail,
    ...labelField(root),
  }
}

/** The end event of a root run. */
type RootEnd = Extract<RunEvent, { readonly type: 'run-end' }>

/** Returns the last event if it is the end of the root run. */
function endOf(root: RootRunRecord, last: RunEvent | undefined): RootEnd | undefined {
  return last?.type === 'run-end' && last.runId === root.rootRunId ? last : undefined
}

function stateOf(
  { open, rootRunId }: RootRunRecord,
  last: RunEvent | undefined,
  host: Pick<RunHost, 'isWaiting'>,
): RunState {
  // of a run in another process only the last event shows that it waits
  if (open) return host.isWaiting(rootRunId) || asksPresentPerson(last) ? 'waiting' : 'running'
  return last?.type === 'run-waiting' ? 'waiting' : 'interrupted'
}

function asksPresentPerson(last: RunEvent | undefined): boolean {
  return last?.type === 'approval-request' && last.expiresAt !== undefined
}
