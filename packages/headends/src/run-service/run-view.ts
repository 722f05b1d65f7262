import {
  isJsonObject,
  openApprovals,
  toUsageReport,
  type EventPayloads,
  type Json,
  type RunEvent,
  type RunProblem,
  type RootRunRecord,
  type UsageReport,
} from '@troupe/schema'
import { accountsOf } from '@troupe/timeline'
import { errorBody, type ErrorBody } from '../error-response.ts'
import { readRequest, type StoredRunRequest } from './stored-run-request.ts'
import { toOpenApproval, type OpenApproval } from './open-approval.ts'
import type { ReadStore } from './memory-runs.ts'
import { endOf, toSummary, type RootEnd, type RunSummary } from './run-summary.ts'

/** A run with its result. */
export interface RunView extends RunSummary {
  readonly output?: EventPayloads['run-end']['output']
  readonly error?: ErrorBody['error']
  /** Run and turn that this run was forked from. */
  readonly forkOf?: { readonly runId: string; readonly at: string }
  /** Id of the run that this run repeats. */
  readonly retryOf?: string
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

/** Reads a root run. Returns `undefined` if it has not started. */
export async function readView(store: ReadStore, root: RootRunRecord): Promise<RunView | undefined> {
  const [events, request] = await Promise.all([
    store.events(root.rootRunId),
    readRequest(store, root.rootRunId),
  ])
  const [first] = events
  if (first?.type !== 'run-start') return undefined
  const end = endOf(root, events.at(-1))
  return {
    ...toSummary(root, first, events.at(-1)),
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
  'forkOf' | 'retryOf' | 'model'
> {
  const { forkOf, retryOf } = note
  const { model } = team
  return {
    ...(isForkOf(forkOf) ? { forkOf } : {}),
    ...(typeof retryOf === 'string' ? { retryOf } : {}),
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
