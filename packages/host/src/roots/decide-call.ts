import { randomId } from '@troupe/core'
import type { ApprovalDecision, RunStore } from '@troupe/schema'
import { keepDecision } from '../approval/kept-approvals.ts'
import type { RootsContext } from './roots-context.ts'

/** A decision on a pending call. */
export interface DecidedCall {
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
  { rootRunId, ...call }: DecidedCall,
  { rooms, clock }: RootsContext,
): Promise<void> {
  if (rooms.get(rootRunId)?.decide(call.approvalId, call.decision) === true) return
  // Uses an owner id of its own, so that opening fails if the root run is running in this host, where no such
  // call is pending.
  const log = await store.open(rootRunId, randomId('decision'))
  try {
    await keepDecision(log, await store.events(rootRunId), { ...call, now: clock.now() })
  } finally {
    await log.close()
  }
}
