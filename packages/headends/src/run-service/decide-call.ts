import { toFailure, troupeError, type ApprovalDecision, type ErrorCode, type RunReport } from '@troupe/schema'
import { isClientCall } from './client-calls.ts'
import { resumeRun } from './recover-runs.ts'
import type { RunServiceContext } from './run-service-context.ts'
import { readView } from './run-view.ts'
import { findRun, type RunRef } from './stored-run.ts'

/** A person's decision on a waiting call. */
export interface DecisionRequest extends RunRef {
  readonly approvalId: string
  readonly decision: ApprovalDecision
}

/** Decides on a waiting call and resumes the run. Rejects with `run_unknown` or `approval_unknown`. */
export async function decideCall(call: DecisionRequest, context: RunServiceContext): Promise<void> {
  const approvalId = await findApproval(call, context)
  // its result comes from the client, in the protocol of the call
  if (isClientCall(approvalId))
    throw troupeError(
      'approval_unknown',
      `${approvalId.slice(0, 200)} waits for its client, not for a decision.`,
    )
  const decision = { by: { via: 'api', name: call.principal }, ...call.decision } as const
  const isConnected = context.connected?.has(call.runId) === true
  await forwardDecision({ ...call, approvalId, decision }, context)
  const running = context.live.get(call.runId)
  // the run of a connection continues by itself
  if (isConnected) return
  if (running === undefined) resumeRun(call, context)
  else
    void running.done.then((report) => {
      if (wasSuspended(report)) resumeRun(call, context)
    })
}

/**
 * Finds the full approval id. It ends in `#` and a number, which a URL loses unless the client encodes it.
 */
async function findApproval(call: DecisionRequest, context: RunServiceContext): Promise<string> {
  const { approvalId: requestedId } = call
  const { approvals = [] } = (await readView(context, await findRun(call, context))) ?? {}
  const match = approvals.find(
    ({ approvalId }) => approvalId === requestedId || approvalId.startsWith(`${requestedId}#`),
  )
  return match?.approvalId ?? requestedId
}

/** Codes of a run that is still active. */
const BUSY_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['store_locked', 'approval_elsewhere'])

async function forwardDecision(
  { runId, approvalId, decision }: DecisionRequest,
  { host, live }: Pick<RunServiceContext, 'host' | 'live'>,
): Promise<void> {
  try {
    await host.decide(runId, approvalId, decision)
  } catch (thrown) {
    const running = live.get(runId)
    if (running === undefined || !BUSY_CODES.has(toFailure(thrown).code)) throw thrown
    // The run is just being suspended.
    await running.done
    await host.decide(runId, approvalId, decision)
  }
}

/** Returns true if the run was suspended before it received the decision. */
function wasSuspended(report: RunReport | undefined): boolean {
  return report?.error?.code === 'run_waiting'
}
