import type { Host } from '@troupe/host'
import { troupeError, type ApprovalRequest } from '@troupe/schema'

/**
 * Finds an open approval or question by its id or a prefix. Without an id, returns the only open one. Throws
 * `approval_unknown`, and `usage_invalid` if several match.
 */
export async function findApproval(
  host: Host,
  rootRunId: string,
  given: string | undefined,
): Promise<ApprovalRequest> {
  const open = await host.approvals(rootRunId)
  const exact = open.find(({ approvalId }) => approvalId === given)
  if (exact !== undefined) return exact
  const matching = open.filter(({ approvalId }) => approvalId.startsWith(given ?? ''))
  const [only, ...others] = matching
  if (only === undefined)
    throw troupeError('approval_unknown', `The run ${rootRunId} waits for no decision${toName(given)}.`)
  if (others.length === 0) return only
  const ids = matching.map(({ approvalId }) => approvalId).join(', ')
  throw troupeError('usage_invalid', `The run waits for ${matching.length} decisions: ${ids}.`, {
    fix: 'Name one of them.',
  })
}

function toName(given: string | undefined): string {
  return given === undefined ? '' : ` that begins with ${given}`
}
