import type { RootRunRecord } from '@troupe/schema'
import type { ListedApproval } from './approval-tracker.ts'
import type { RunServiceContext } from './run-service-context.ts'

/** The open approvals and questions of a principal. */
export interface ApprovalList {
  /** The oldest first; at most 1,000. */
  readonly approvals: readonly ListedApproval[]
  /** Number of all open ones, including those that are not listed. */
  readonly total: number
}

const MOST_LISTED = 1000
const PAGE = 500

/** Returns all open approvals and questions of active and suspended runs that a principal may answer here. */
export async function listApprovals(
  principal: string,
  context: Pick<RunServiceContext, 'store' | 'live' | 'approvals'>,
): Promise<ApprovalList> {
  const open: ListedApproval[] = []
  for await (const root of rootsWithQuestions(principal, context))
    open.push(...(await context.approvals.read(root)))
  open.sort((a, b) => a.time - b.time)
  return { approvals: open.slice(0, MOST_LISTED), total: open.length }
}

/**
 * Yields the root runs with open questions that an answer can reach: runs that are active here, and runs that
 * no process works on.
 */
async function* rootsWithQuestions(
  principal: string,
  { store, live }: Pick<RunServiceContext, 'store' | 'live'>,
): AsyncGenerator<RootRunRecord> {
  let before: string | undefined
  for (;;) {
    const roots = await store.list({
      principal,
      outcomes: ['none'],
      hasApprovalRequests: true,
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
    })
    for (const root of roots)
      if (root.detail === 'full' && (!root.open || live.has(root.rootRunId))) yield root
    before = roots.at(-1)?.rootRunId
    if (roots.length < PAGE) return
  }
}
