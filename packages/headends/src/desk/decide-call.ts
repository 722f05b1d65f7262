import { toFailure, type ApprovalDecision, type RunReport } from '@troupe/schema'
import type { DeskContext } from './desk-context.ts'
import { findRun, type AskedRun } from './find-run.ts'
import { goOn } from './go-on.ts'
import { readView } from './run-view.ts'

/** What a person has decided on a call that waits. */
export interface DecidedCall extends AskedRun {
  readonly approvalId: string
  readonly decision: ApprovalDecision
}

/** Decides on a call that waits; the run goes on. Rejects with `run_unknown`, `approval_unknown`. */
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

/** Ids of approvals end in `#` and a number, which addresses lose unless they are written with care. */
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
    // it was just leaving
    await running.done
    await host.decide(runId, approvalId, decision)
  }
}

/** It was on its way out, and had not heard of the decision. */
function wasLeaving(report: RunReport | undefined): boolean {
  return report?.error?.code === 'run_waiting'
}
