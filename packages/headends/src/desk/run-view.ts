import {
  isJsonObject,
  openApprovals,
  toUsageReport,
  type EventPayloads,
  type Json,
  type StoredRoot,
  type UsageReport,
} from '@troupe/schema'
import { errorBody, type ErrorBody } from '../error-response.ts'
import { readRequest, type KeptRequest } from './kept-request.ts'
import { toOpenApproval, type OpenApproval } from './open-approval.ts'
import type { ReadStore } from './unkept-runs.ts'
import { endOf, toSummary, type RootEnd, type RunSummary } from './run-summary.ts'

/** One run, with what it gave. */
export interface RunView extends RunSummary {
  readonly output?: EventPayloads['run-end']['output']
  readonly error?: ErrorBody['error']
  /** It goes on from a turn of that run. */
  readonly forkOf?: { readonly runId: string; readonly at: string }
  /** It does the same again. */
  readonly retryOf?: string
  /** Asked in place of the models of the cards. */
  readonly model?: string
  readonly usage?: UsageReport & { readonly byAgent: Readonly<Record<string, UsageReport>> }
  /** The calls that wait for a decision, those of its children included. */
  readonly approvals: readonly OpenApproval[]
  /** The `seq` of the last event. */
  readonly lastSeq: number
}

/** Reads one root; undefined: nothing had begun. */
export async function readView(store: ReadStore, root: StoredRoot): Promise<RunView | undefined> {
  const [events, kept] = await Promise.all([store.events(root.rootRunId), readRequest(store, root.rootRunId)])
  const [first] = events
  if (first?.type !== 'run-start') return undefined
  const end = endOf(root, events.at(-1))
  return {
    ...toSummary(root, first, events.at(-1)),
    ...(end === undefined ? {} : { output: end.output, usage: usageOf(end) }),
    ...(end?.error === undefined ? {} : errorBody(end.error)),
    ...originOf(kept),
    approvals: openApprovals(events).map(toOpenApproval),
    lastSeq: events.at(-1)?.seq ?? 0,
  }
}

/** Where a run comes from, as run control noted it. */
function originOf({ note = {}, team = {} }: Partial<KeptRequest> = {}): Pick<
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

function usageOf({ usage, byAgent, unpriced }: RootEnd): NonNullable<RunView['usage']> {
  const rows = Object.entries(byAgent).map(([agent, own]) => [agent, toUsageReport(own, [])] as const)
  return { ...toUsageReport(usage, unpriced), byAgent: Object.fromEntries(rows) }
}
