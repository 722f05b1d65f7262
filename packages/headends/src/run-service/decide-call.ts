import { toFailure, type ApprovalDecision, type RunReport } from '@troupe/schema'
import { findRun, type RunRef } from './find-run.ts'
import { resumeRun } from './recover-runs.ts'
import type { RunServiceContext } from './run-service-context.ts'
import { readView } from './run-view.ts'

/** A person's decision on a waiting call. */
export interface DecisionRequest extends RunRef {
  readonly approvalId: string
  readonly decision: ApprovalDecision
}

/** Decides on a waiting call and resumes the run. Rejects with `run_unknown` or `approval_unknown`. */
export async function decideCall(call: DecisionRequest, context: RunServiceContext): Promise<void> {
  const approvalId = await findApproval(call, context)
  await forwardDecision({ ...call, approvalId }, context)
  const running = context.live.get(call.runId)
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
  const { approvalId: given } = call
  const { approvals = [] } = (await readView(context.store, await findRun(call, context))) ?? {}
  const named = approvals.find(({ approvalId }) => approvalId === given || approvalId.startsWith(`${given}#`))
  return named?.approvalId ?? given
}

async function forwardDecision(
  { runId, approvalId, decision }: DecisionRequest,
  { host, live }: Pick<RunServiceContext, 'host' | 'live'>,
): Promise<void> {
  try {
    await host.decide(runId, approvalId, decision)
  } catch (thrown) {
    const running = live.get(runId)
    if (running === undefined || toFailure(thrown).code !== 'store_locked') throw thrown
    // The run is just being suspended.
    await running.done
    await host.decide(runId, approvalId, decision)
  }
}

/** Returns true if the run was suspended before it received the decision. */
function wasSuspended(report: RunReport | undefined): boolean {
  return report?.error?.code === 'run_waiting'
}
