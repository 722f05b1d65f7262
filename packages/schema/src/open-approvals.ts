import type { RunEvent } from './event.ts'

/** Time in ms after which an unanswered request of a suspended run is denied: seven days. */
export const APPROVAL_EXPIRY_MS: number = 7 * 24 * 60 * 60_000

/** A request for an approval or an answer. */
export type ApprovalRequest = Extract<RunEvent, { readonly type: 'approval-request' }>

/** Returns the undecided approval requests of a run tree, in the order in which they were made. */
export function openApprovals(events: readonly RunEvent[]): readonly ApprovalRequest[] {
  const decided = new Set(
    events.flatMap((event) => (event.type === 'approval-result' ? event.approvalId : [])),
  )
  const ended = new Set(events.flatMap((event) => (event.type === 'run-end' ? event.runId : [])))
  return events.filter(
    (event): event is ApprovalRequest =>
      event.type === 'approval-request' && !decided.has(event.approvalId) && !ended.has(event.runId),
  )
}
