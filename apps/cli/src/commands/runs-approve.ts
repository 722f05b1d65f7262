import type { Host } from '@troupe/host'
import type { ApprovalDecision } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { resumeStoredRun } from './resume.ts'
import { findApproval } from '../run-store/find-approval.ts'
import { findRootRun } from '../run-store/find-root-run.ts'
import { openExistingStore } from '../run-store/open-store.ts'
import type { RunCommandOptions } from './run.ts'

export interface RunsApproveOptions extends RunCommandOptions {
  readonly deny?: boolean
  readonly reason?: string
}

/**
 * Runs `troupe runs approve RUN [APPROVAL]`: approves or denies a call and resumes the run until it ends or
 * waits again.
 */
export async function runsApproveCommand(
  { run, approval }: { readonly run: string; readonly approval: string | undefined },
  options: RunsApproveOptions,
  context: CommandContext,
): Promise<number> {
  const { deny = false, reason } = options
  const decision: ApprovalDecision = {
    decision: deny ? 'denied' : 'approved',
    ...(reason === undefined ? {} : { reason }),
  }
  const store = await openExistingStore(options, context)
  const { rootRunId } = await findRootRun(store, run)
  const before = async (host: Host): Promise<void> => {
    const { approvalId } = await findApproval(host, rootRunId, approval)
    await host.decide(rootRunId, approvalId, decision)
  }
  return resumeStoredRun({ card: undefined, rootRunId, store, before }, { ...options, wait: true }, context)
}
