import { randomId } from '@troupe/core'
import type { ApprovalDecision, RunStore } from '@troupe/schema'
import { storeDecision } from '../approval/store-decision.ts'
import type { RootRunsContext } from './root-runs-context.ts'

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
