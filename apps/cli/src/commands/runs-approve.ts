import type { Host } from '@troupe/host'
import type { ApprovalDecision } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { goOn } from '../team/go-on.ts'
import { findApproval } from '../stored/find-approval.ts'
import { findRoot } from '../stored/find-root.ts'
import { openKeptRuns } from '../stored/open-store.ts'
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
  const store = await openKeptRuns(options, context)
  const { rootRunId } = await findRoot(store, run)
  const before = async (host: Host): Promise<void> => {
    const { approvalId } = await findApproval(host, rootRunId, approval)
    await host.decide(rootRunId, approvalId, decision)
  }
  return goOn({ card: undefined, rootRunId, store, before }, { ...options, wait: true }, context)
}
