import { randomId } from '@troupe/core'
import { isJsonObject, openApprovals, type ApprovalDecision, type RunStore } from '@troupe/schema'
import {
  lastingDecision,
  type ApprovalScope,
  type RememberedApprovals,
} from '../approvals/remembered-approvals.ts'
import { storeDecision } from '../approvals/store-decision.ts'
import type { RootRuns } from './root-runs.ts'
import type { RootRunsContext } from './runs-context.ts'

/**
 * Decides a pending call and remembers the decision for the scope it names. Rejects in the same cases as
 * `decide` of `RootRuns`.
 */
export async function decideAndRemember(
  rootRunId: string,
  { approvalId, decision }: { readonly approvalId: string; readonly decision: ApprovalDecision },
  parts: {
    readonly store: RunStore
    readonly roots: Pick<RootRuns, 'decide'>
    readonly approvals: Pick<RememberedApprovals, 'rememberDecision'>
    readonly locateCard: ApprovalScope['locateCard']
  },
): Promise<void> {
  const { store, roots, approvals, locateCard } = parts
  // Read first: once decided, the call is no longer pending.
  const pending =
    decision.remember === undefined ? undefined : await findPendingCall(store, rootRunId, approvalId)
  const said = pending === undefined ? decision : lastingDecision(decision, pending.call)
  await roots.decide(store, { rootRunId, approvalId, decision: said })
  if (pending !== undefined)
    await approvals.rememberDecision(said, pending.call, { session: pending.session, locateCard })
}

/** Returns the pending call and its session. */
async function findPendingCall(store: RunStore, rootRunId: string, approvalId: string) {
  const [events, steps] = await Promise.all([store.events(rootRunId), store.steps(rootRunId, rootRunId)])
  const call = openApprovals(events).find((open) => open.approvalId === approvalId)
  const begin = steps.get('begin')
  if (call === undefined || !isJsonObject(begin)) return undefined
  const { sessionId, principal } = begin
  if (typeof sessionId !== 'string' || typeof principal !== 'string') return undefined
  return { call, session: { sessionId, principal } }
}

/** A decision on a pending call. */
export interface CallDecision {
  readonly rootRunId: string
  readonly approvalId: string
  readonly decision: ApprovalDecision
}

/**
 * Decides a pending call: in the running root run if it runs in this host, else in the store. Rejects with
 * `approval_unknown` or `store_locked`.
 */
export async function decideCall(
  store: RunStore,
  { rootRunId, ...call }: CallDecision,
  { approvalGates, clock }: RootRunsContext,
): Promise<void> {
  if (approvalGates.get(rootRunId)?.decide(call.approvalId, call.decision) === true) return
  // Uses an owner id of its own, so that opening fails if the root run is running in this host, where no such
  // call is pending.
  const log = await store.open(rootRunId, randomId('decision'))
  try {
    await storeDecision(log, await store.events(rootRunId), { ...call, now: clock.now() })
  } finally {
    await log.close()
  }
}
