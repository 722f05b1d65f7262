import { randomId } from '@troupe/core'
import { isJsonObject, openRequests, toFailure, troupeError, type ApprovalDecision } from '@troupe/schema'
import type { RunStore, RunTreeLog } from '@troupe/schema/ports'
import { lastingDecision } from '../approvals/remembered-approvals.ts'
import { requirePending, storeDecision, unknownApproval } from '../approvals/store-decision.ts'
import type { RunsContext } from './runs-context.ts'

/**
 * Decides a pending call: in the running root run if it runs in this host, else in the store. Remembers the
 * decision for the scope it names. Rejects with `approval_unknown` or `approval_elsewhere`.
 */
export async function decideCall(
  rootRunId: string,
  call: { readonly approvalId: string; readonly decision: ApprovalDecision },
  context: RunsContext,
): Promise<void> {
  const { approvals, clock } = context
  const { locateCard } = context.team.current
  const store = context.requireStore()
  const { approvalId, decision: requested } = call
  // Read first: once decided, the call is no longer pending.
  const pending =
    requested.remember === undefined ? undefined : await findPendingCall(store, rootRunId, approvalId)
  const decision = pending === undefined ? requested : lastingDecision(requested, pending.call)
  if (!(await decideOnWorkers(rootRunId, { approvalId, decision }, context)))
    if (!context.live.decide(rootRunId, approvalId, decision))
      await decideInStore(store, rootRunId, { approvalId, decision, now: clock.now() })
  if (pending === undefined) return
  await approvals.rememberDecision(decision, pending.call, { session: pending.session, locateCard })
}

/** Returns the pending call and its session. */
async function findPendingCall(store: RunStore, rootRunId: string, approvalId: string) {
  const [events, steps] = await Promise.all([store.events(rootRunId), store.steps(rootRunId, rootRunId)])
  const call = openRequests(events).find((open) => open.approvalId === approvalId)
  const begin = steps.get('begin')
  if (call === undefined || !isJsonObject(begin)) return undefined
  const { sessionId, principal } = begin
  if (typeof sessionId !== 'string' || typeof principal !== 'string') return undefined
  return { call, session: { sessionId, principal } }
}

/**
 * Decides a call of a run that workers execute. Returns false if they do not know the run. Throws
 * `approval_unknown` if the call is not pending.
 */
async function decideOnWorkers(
  rootRunId: string,
  { approvalId, decision }: { readonly approvalId: string; readonly decision: ApprovalDecision },
  { dispatcher, requireStore }: RunsContext,
): Promise<boolean> {
  if (dispatcher === undefined || (await dispatcher.find(rootRunId)) === undefined) return false
  const request = requirePending(await requireStore().events(rootRunId), approvalId, decision)
  const { runId } = request
  if (!(await dispatcher.decide({ rootRunId, runId, approvalId, decision })))
    throw unknownApproval(approvalId)
  return true
}

async function decideInStore(
  store: RunStore,
  rootRunId: string,
  call: Parameters<typeof storeDecision>[2],
): Promise<void> {
  // Uses an owner id of its own, so that opening fails if the root run is running in this host, where no such
  // call is pending.
  const log = await openOrExplain(store, rootRunId, call)
  try {
    await storeDecision(log, await store.events(rootRunId), call)
  } finally {
    await log.close()
  }
}

/** Opens the log of a run. Rejects with `approval_elsewhere` if the call is pending in another process. */
async function openOrExplain(
  store: RunStore,
  rootRunId: string,
  { approvalId }: Parameters<typeof storeDecision>[2],
): Promise<RunTreeLog> {
  try {
    return await store.open(rootRunId, randomId('decision'))
  } catch (thrown) {
    if (toFailure(thrown).code !== 'store_locked') throw thrown
    const pending = openRequests(await store.events(rootRunId))
    if (!pending.some((request) => request.approvalId === approvalId)) throw thrown
    throw troupeError(
      'approval_elsewhere',
      `The run ${rootRunId} is active in another process, which waits for the decision on ${approvalId}.`,
      { cause: thrown },
    )
  }
}
