import type { Host } from '@troupe/host'
import { troupeError, type ApprovalDecision } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { goOn } from '../go-on.ts'
import { findRoot } from '../stored/find-root.ts'
import { openKeptRuns } from '../stored/open-store.ts'
import type { RunCommandOptions } from './run.ts'

/** The options of `troupe runs approve`. */
export interface RunsApproveOptions extends RunCommandOptions {
  readonly deny?: boolean
  readonly reason?: string
}

/** `troupe runs approve RUN [APPROVAL]`: decides on a call that a run waits for, and goes on with the run until it ends or waits again. */
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
  const before = async (host: Host): Promise<void> =>
    host.decide(rootRunId, await findApproval(host, rootRunId, approval), decision)
  return goOn({ card: undefined, rootRunId, store, before }, { ...options, wait: true }, context)
}

/** The approval of an id, or of the beginning of one; the only one where none is given. */
async function findApproval(host: Host, rootRunId: string, given: string | undefined): Promise<string> {
  const ids = (await host.approvals(rootRunId)).map(({ approvalId }) => approvalId)
  const matching = ids.includes(given ?? '') ? [given ?? ''] : ids.filter((id) => id.startsWith(given ?? ''))
  const [only, ...others] = matching
  if (only === undefined)
    throw troupeError('approval_unknown', `The run ${rootRunId} waits for no decision${toName(given)}.`)
  if (others.length === 0) return only
  throw troupeError(
    'usage_invalid',
    `The run waits for ${matching.length} decisions: ${matching.join(', ')}.`,
    {
      fix: 'Name one of them.',
    },
  )
}

function toName(given: string | undefined): string {
  return given === undefined ? '' : ` that begins with ${given}`
}
