import { randomId } from '@troupe/core'
import type { ApprovalDecision, RunStore } from '@troupe/schema'
import { keepDecision } from '../approval/kept-approvals.ts'
import type { RootsContext } from './roots-context.ts'

/** What a person has decided on a call that waits. */
export interface DecidedCall {
  readonly rootRunId: string
  readonly approvalId: string
  readonly decision: ApprovalDecision
}

/** In the run where it is at work here, else in what is kept of it. Rejects with `approval_unknown`, `store_locked`. */
export async function decideCall(
  store: RunStore,
  { rootRunId, ...call }: DecidedCall,
  { rooms, clock }: RootsContext,
): Promise<void> {
  if (rooms.get(rootRunId)?.decide(call.approvalId, call.decision) === true) return
  // not that of the hosts: a root that is at work here has no such call
  const log = await store.open(rootRunId, randomId('decision'))
  try {
    await keepDecision(log, await store.events(rootRunId), { ...call, now: clock.now() })
  } finally {
    await log.close()
  }
}
