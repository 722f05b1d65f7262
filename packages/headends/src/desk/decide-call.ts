import { toFailure, type ApprovalDecision, type RunReport } from '@troupe/schema'
import type { DeskContext } from './desk-context.ts'
import { findRun, type AskedRun } from './find-run.ts'
import { goOn } from './go-on.ts'
import { readView } from './run-view.ts'

/** A person's decision on a waiting call. */
export interface DecidedCall extends AskedRun {
  readonly approvalId: string
  readonly decision: ApprovalDecision
}

/** Decides on a waiting call and resumes the run. Rejects with `run_unknown` or `approval_unknown`. */
export async function decideCall(call: DecidedCall, context: DeskContext): Promise<void> {
  const approvalId = await findApproval(call, context)
  await tellHost({ ...call, approvalId }, context)
  const running = context.live.get(call.runId)
  if (running === undefined) goOn(call, context)
  else
    void running.done.then((report) => {
      if (wasLeaving(report)) goOn(call, context)
    })
}

/**
 * Finds the full approval id. It ends in `#` and a number, which a URL loses unless the client encodes it.
 */
async function findApproval(call: DecidedCall, context: DeskContext): Promise<string> {
  const { approvalId: given } = call
  const { approvals = [] } = (await readView(context.store, await findRun(call, context))) ?? {}
  const named = approvals.find(({ approvalId }) => approvalId === given || approvalId.startsWith(`${given}#`))
  return named?.approvalId ?? given
}

async function tellHost(
  { runId, approvalId, decision }: DecidedCall,
  { host, live }: Pick<DeskContext, 'host' | 'live'>,
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
function wasLeaving(report: RunReport | undefined): boolean {
  return report?.error?.code === 'run_waiting'
}
