import {
  isJsonObject,
  openApprovals,
  toFailure,
  toUsageReport,
  type ApprovalRequest,
  type EventPayloads,
  type Json,
  type JsonObject,
  type Outcome,
  type Question,
  type RunEvent,
  type RunStore,
  type StoredRoot,
  type UsageReport,
} from '@troupe/schema'
import { errorBody, type ErrorBody } from '../error-response.ts'
import { readRequest, type KeptRequest } from './kept-request.ts'

/** How a run stands. `interrupted`: no process works on it any more, and it can be resumed. `damaged`: the store cannot tell. */
export type RunState = Outcome | 'queued' | 'running' | 'waiting' | 'interrupted' | 'damaged'

/** What stands of a run in a list. */
export interface RunSummary {
  readonly runId: string
  readonly agent: string
  readonly state: RunState
  readonly sessionId: string
  /** Wall time in ms. */
  readonly startedAt: number
  /** None: it has not ended. */
  readonly durationMs?: number
  /** In USD; null: a price is not known. None: it has not ended. */
  readonly cost?: number | null
  /** Empty where only metadata is kept. */
  readonly input: string
  /** How much of it is kept. */
  readonly detail: StoredRoot['detail']
}

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

/** A call that waits for a decision. */
export interface OpenApproval {
  readonly approvalId: string
  readonly agent: string
  readonly instance: string
  readonly toolName: string
  readonly args: JsonObject
  /** A question of the tool; none: whether the call may be made. */
  readonly asks?: Question
  readonly reason?: string
  /** When it asked, wall time in ms. */
  readonly time: number
}

/** Reads the two ends of a root; undefined: nothing had begun. One that is damaged is in the list, and spoils no other. */
export async function readSummary(store: RunStore, root: StoredRoot): Promise<RunSummary | undefined> {
  try {
    const [first] = await store.events(root.rootRunId, { limit: 1 })
    const [last] = await store.events(root.rootRunId, { after: root.lastSeq - 1, limit: 1 })
    return first?.type === 'run-start' ? toSummary(root, first, last) : undefined
  } catch (thrown) {
    if (toFailure(thrown).code === 'store_corrupt') return damagedSummary(root)
    throw thrown
  }
}

/** Reads one root; undefined: nothing had begun. */
export async function readView(store: RunStore, root: StoredRoot): Promise<RunView | undefined> {
  const [events, kept] = await Promise.all([store.events(root.rootRunId), readRequest(store, root.rootRunId)])
  const [first] = events
  if (first?.type !== 'run-start') return undefined
  const end = endOf(root, events.at(-1))
  return {
    ...toSummary(root, first, events.at(-1)),
    ...(end === undefined ? {} : { output: end.output, usage: usageOf(end) }),
    ...(end?.error === undefined ? {} : errorBody(end.error)),
    ...originOf(kept),
    approvals: openApprovals(events).map(toApproval),
    lastSeq: events.at(-1)?.seq ?? 0,
  }
}

function toSummary(
  root: StoredRoot,
  first: Extract<RunEvent, { readonly type: 'run-start' }>,
  last: RunEvent | undefined,
): RunSummary {
  const end = endOf(root, last)
  return {
    runId: root.rootRunId,
    agent: first.agent,
    state: end?.outcome ?? stateOf(root, last),
    sessionId: first.sessionId,
    startedAt: first.time,
    ...(end === undefined ? {} : { durationMs: end.durationMs, cost: usageOf(end).cost }),
    input: first.input,
    detail: root.detail,
  }
}

function damagedSummary({ rootRunId, session, changedAt = 0, detail }: StoredRoot): RunSummary {
  const sessionId = session?.sessionId ?? rootRunId
  return { runId: rootRunId, agent: '', state: 'damaged', sessionId, startedAt: changedAt, input: '', detail }
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

type RootEnd = Extract<RunEvent, { readonly type: 'run-end' }>

function endOf(root: StoredRoot, last: RunEvent | undefined): RootEnd | undefined {
  return last?.type === 'run-end' && last.runId === root.rootRunId ? last : undefined
}

function stateOf({ open }: StoredRoot, last: RunEvent | undefined): RunState {
  if (open) return 'running'
  return last?.type === 'run-waiting' ? 'waiting' : 'interrupted'
}

function usageOf({ usage, byAgent, unpriced }: RootEnd): NonNullable<RunView['usage']> {
  const rows = Object.entries(byAgent).map(([agent, own]) => [agent, toUsageReport(own, [])] as const)
  return { ...toUsageReport(usage, unpriced), byAgent: Object.fromEntries(rows) }
}

function toApproval(request: ApprovalRequest): OpenApproval {
  const { approvalId, agent, instance, toolName, args, asks, reason, time } = request
  return {
    approvalId,
    agent,
    instance,
    toolName,
    args,
    time,
    ...(asks === undefined ? {} : { asks }),
    ...(reason === undefined ? {} : { reason }),
  }
}
