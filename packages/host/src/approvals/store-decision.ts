import {
  isJsonObject,
  matchChoice,
  openRequests,
  troupeError,
  type ApprovalDecision,
  type ApprovalRequest,
  type Json,
  type RunEvent,
} from '@troupe/schema'
import { APPROVAL_EXPIRY_MS, eventEnvelope, type RunTreeLog } from '@troupe/schema/ports'

/**
 * Stores a decision so that the run finds it when it resumes. If other calls are still pending, appends
 * `run-waiting` for the next one. Throws `approval_unknown` if the call is not pending, and `usage_invalid`
 * if the decision does not fit.
 */
export async function storeDecision(
  log: RunTreeLog,
  events: readonly RunEvent[],
  {
    approvalId,
    decision,
    now,
  }: { readonly approvalId: string; readonly decision: ApprovalDecision; readonly now: number },
): Promise<void> {
  const open = openRequests(events)
  const request = requirePending(events, approvalId, decision)
  const { runId } = request
  const callKey = approvalId.slice(runId.length + 1)
  const args = requestedArgs((await log.steps(runId)).get(`asked:${callKey}`), request)
  log.append({
    runId,
    event: {
      ...eventEnvelope(request, 'approval-result', now),
      approvalId,
      toolName: request.toolName,
      ...decision,
    },
    step: { key: `approval:${callKey}`, value: { ...decision, args } },
  })
  const next = open.find((approval) => approval.approvalId !== approvalId)
  if (next === undefined) return
  const waiting = { ...eventEnvelope(next, 'run-waiting', now), approvalId: next.approvalId }
  log.append({ runId: next.runId, event: waiting })
}

/**
 * Returns the request of a pending call. Throws `approval_unknown` if the call is not pending, and
 * `usage_invalid` if the decision does not fit.
 */
export function requirePending(
  events: readonly RunEvent[],
  approvalId: string,
  decision: ApprovalDecision,
): ApprovalRequest {
  const request = openRequests(events).find((approval) => approval.approvalId === approvalId)
  if (request === undefined) throw unknownApproval(approvalId)
  requireMatchingDecision(request, decision)
  return request
}

/** Creates the error for a call that is not pending. */
export function unknownApproval(approvalId: string): Error {
  return troupeError('approval_unknown', `There is no pending approval ${approvalId}.`)
}

/** Denies calls that have been pending for too long. Returns true if there were any. */
export async function denyExpired(
  log: RunTreeLog,
  events: readonly RunEvent[],
  now: number,
): Promise<boolean> {
  const expired = openRequests(events).filter(({ time }) => time + APPROVAL_EXPIRY_MS <= now)
  const decision = { decision: 'denied', reason: 'no decision within 7 days' } as const
  for (const { approvalId } of expired) await storeDecision(log, events, { approvalId, decision, now })
  return expired.length > 0
}

/** Throws `usage_invalid` if a question gets no answer, or an answer that is not one of its choices. */
function requireMatchingDecision(
  { approvalId, asks }: ApprovalRequest,
  { decision, answer }: ApprovalDecision,
): void {
  if (asks === undefined || decision === 'denied') return
  if (answer !== undefined && matchChoice(asks, answer) === answer) return
  const choices = asks.choices === undefined ? 'text' : asks.choices.join(', ')
  throw troupeError(
    'usage_invalid',
    `${approvalId} asks a question and needs an answer: "${asks.question}"`,
    {
      fix: `Answer with ${choices}.`,
    },
  )
}

/**
 * Returns the arguments with sealed secrets, which the resumed run compares. The event has its secrets
 * redacted.
 */
function requestedArgs(step: Json | undefined, { args, asks }: ApprovalRequest): Json {
  const eventArgs = asks === undefined ? args : (asks as unknown as Json)
  return isJsonObject(step) ? (step['args'] ?? eventArgs) : eventArgs
}
