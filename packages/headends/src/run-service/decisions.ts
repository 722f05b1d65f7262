import {
  toFailure,
  troupeError,
  type AnswerScope,
  type ApprovalRequest,
  type Decider,
  type RunEvent,
} from '@troupe/schema'
import type { RootRunRecord } from '@troupe/schema/ports'
import { toOpenApproval, type OpenApproval } from './approvals.ts'
import type { ReadStore } from './memory-runs.ts'
import type { RunServiceContext } from './run-service-context.ts'
import { ownedBy } from './stored-run.ts'

/** A decided approval or answered question. */
export interface DecidedApproval extends OpenApproval {
  /** Id of the root run. */
  readonly runId: string
  /** Instances from the root run to the one that asked. */
  readonly path: readonly string[]
  readonly decision: 'approved' | 'denied'
  readonly decidedAt: number
  /** The person who decided; `undefined` if it is not known, or if no person decided in time. */
  readonly by?: Decider
  /** The reason of the decision. */
  readonly comment?: string
  /** The answer to a question of a tool. */
  readonly answer?: string
  readonly remember?: AnswerScope
}

/** A page of decisions, the newest first. */
export interface DecisionPage {
  readonly decisions: readonly DecidedApproval[]
  /** The `before` of the next page; `undefined` if there is none. */
  readonly next?: string
}

/** A request for one page of decisions. */
export interface DecisionPageRequest {
  /** Owner of the runs; `undefined` for the runs of all principals. */
  readonly principal: string | undefined
  /** The `next` of the page before. */
  readonly before?: string | undefined
  readonly limit: number
}

/** Maximum number of root runs or events read in one turn of the event loop. */
const PAGE = 500
/** Maximum difference between the clocks of the store and of the processes that write to it, in ms. */
const CLOCK_SKEW_MS = 5 * 60_000

/**
 * Returns a page of the decisions in the runs of a principal or of all. Reads only runs that were changed since
 * the oldest decision of the page. Rejects with `request_invalid` for an unknown `before`.
 */
export async function listDecisions(
  { principal, before, limit }: DecisionPageRequest,
  { store }: Pick<RunServiceContext, 'store'>,
): Promise<DecisionPage> {
  const start = before === undefined ? undefined : readPosition(before)
  let found: StoredDecision[] = []
  for (const root of await rootsByChange(principal, store)) {
    const oldest = found[limit]
    if (oldest !== undefined && changedAtOf(root) + CLOCK_SKEW_MS < oldest.position.time) break
    const decisions = await readDecisions(root, store)
    const older = decisions.filter(({ position }) => start === undefined || compare(position, start) > 0)
    found = [...found, ...older].toSorted((a, b) => compare(a.position, b.position)).slice(0, limit + 1)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  const decisions = page.map(({ decided }) => decided)
  return last === undefined ? { decisions } : { decisions, next: writePosition(last.position) }
}

interface StoredDecision {
  readonly decided: DecidedApproval
  readonly position: DecisionPosition
}

/** Position of a decision among all decisions. */
interface DecisionPosition {
  readonly time: number
  readonly seq: number
  readonly rootRunId: string
}

/** Orders the newest decision first. */
function compare(a: DecisionPosition, b: DecisionPosition): number {
  if (a.time !== b.time) return b.time - a.time
  if (a.rootRunId !== b.rootRunId) return a.rootRunId < b.rootRunId ? 1 : -1
  return b.seq - a.seq
}

function writePosition({ time, seq, rootRunId }: DecisionPosition): string {
  return `${time}.${seq}.${rootRunId}`
}

function readPosition(text: string): DecisionPosition {
  const [, time, seq, rootRunId] = /^(\d{1,16})\.(\d{1,15})\.(.{1,200})$/u.exec(text) ?? []
  if (time === undefined || seq === undefined || rootRunId === undefined)
    throw troupeError('request_invalid', 'before: send the `next` of the last page.')
  return { time: Number(time), seq: Number(seq), rootRunId }
}

/** Returns the root runs in which a person was asked, the one that was changed last first. */
async function rootsByChange(
  principal: string | undefined,
  store: ReadStore,
): Promise<readonly RootRunRecord[]> {
  const all: RootRunRecord[] = []
  for (;;) {
    const before = all.at(-1)?.rootRunId
    const roots = await store.list({
      ...ownedBy(principal),
      hasApprovalRequests: true,
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
    })
    for (const root of roots) all.push(root)
    if (roots.length < PAGE) return all.toSorted((a, b) => changedAtOf(b) - changedAtOf(a))
  }
}

/** Returns the time of the last change, or a time after all others if the store does not know it. */
function changedAtOf({ changedAt = Number.MAX_SAFE_INTEGER }: RootRunRecord): number {
  return changedAt
}

/** Returns the decisions in a run tree; none if it is damaged. */
async function readDecisions(
  { rootRunId, lastSeq }: RootRunRecord,
  store: Pick<ReadStore, 'events'>,
): Promise<readonly StoredDecision[]> {
  const requests = new Map<string, ApprovalRequest>()
  const runs = new Map<string, { readonly instance: string; readonly parentRunId: string | undefined }>()
  const decisions: StoredDecision[] = []
  const pathOf = (runId: string): readonly string[] => {
    const path: string[] = []
    for (let run = runs.get(runId); run !== undefined && path.length < runs.size;) {
      path.unshift(run.instance)
      run = run.parentRunId === undefined ? undefined : runs.get(run.parentRunId)
    }
    return path
  }
  try {
    for (let after = 0; after < lastSeq;) {
      const events = await store.events(rootRunId, { after, limit: PAGE })
      for (const event of events) {
        if (event.type === 'run-start')
          runs.set(event.runId, { instance: event.instance, parentRunId: event.parentRunId })
        if (event.type === 'approval-request' && event.client === undefined)
          requests.set(event.approvalId, event)
        const request = event.type === 'approval-result' ? requests.get(event.approvalId) : undefined
        if (event.type !== 'approval-result' || request === undefined) continue
        const position = { time: event.time, seq: event.seq ?? 0, rootRunId }
        decisions.push({ decided: toDecided(request, event, pathOf(request.runId)), position })
      }
      after = events.at(-1)?.seq ?? lastSeq
    }
  } catch (thrown) {
    if (toFailure(thrown).code === 'store_corrupt') return []
    throw thrown
  }
  return decisions
}

function toDecided(
  request: ApprovalRequest,
  { decision, time, by, reason, answer, remember }: Extract<RunEvent, { readonly type: 'approval-result' }>,
  path: readonly string[],
): DecidedApproval {
  return {
    runId: request.rootRunId,
    path,
    ...toOpenApproval(request),
    decision,
    decidedAt: time,
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { comment: reason }),
    ...(answer === undefined ? {} : { answer }),
    ...(remember === undefined ? {} : { remember }),
  }
}
