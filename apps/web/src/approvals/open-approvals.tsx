import type { ApprovalList, ListedApproval } from '@troupe/client'
import { formatCost, formatDuration } from '@troupe/timeline'
import { ShieldCheck } from 'lucide-react'
import type { ReactElement } from 'react'
import { useServerLink } from '../api/server-link.ts'
import type { RequestState } from '../api/use-request.ts'
import { useNow } from '../feed/use-run.ts'
import { hrefOf } from '../route/route.ts'
import { clockTime } from '../ui/format.ts'
import { EmptyState, FailureNotice } from '../ui/notice.tsx'
import { ApprovalCard } from './approval-card.tsx'

/** Lists the open approvals and questions of all runs, oldest first. */
export function OpenApprovals({
  approvals: { value, failure, refresh },
}: {
  readonly approvals: RequestState<ApprovalList>
}): ReactElement {
  const { isLost } = useServerLink()
  const now = useNow(false)
  const { approvals = [], total = 0 } = value ?? {}
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-3">
      {failure === undefined || isLost ? null : <FailureNotice failure={failure} />}
      {value !== undefined && total === 0 ? (
        <EmptyState icon={<ShieldCheck className="size-5" />} title="No open approvals">
          Calls that a card lists under <code className="font-mono">requiresApproval</code>, and tools that
          are marked as destructive, need your approval here before they run.
        </EmptyState>
      ) : null}
      {approvals.map((approval) => (
        <ApprovalCard
          key={`${approval.runId} ${approval.approvalId}`}
          rootRunId={approval.runId}
          approval={approval}
          path={approval.path}
          onDecided={refresh}
        >
          <ApprovalOrigin approval={approval} now={now} />
        </ApprovalCard>
      ))}
      {total > approvals.length ? (
        <p className="text-center text-small text-muted">
          {total - approvals.length} more are open. They are shown once these are answered.
        </p>
      ) : null}
    </div>
  )
}

/** Shows the message that the run answers, what it has cost so far, and when the approval expires. */
function ApprovalOrigin({
  approval: { runId, input, startedAt, cost, time, expiresAt },
  now,
}: {
  readonly approval: ListedApproval
  readonly now: number
}): ReactElement {
  return (
    <div className="flex flex-col gap-1 text-small text-muted">
      {input === '' ? null : (
        <p className="flex min-w-0 gap-1.5">
          <span className="shrink-0">For</span>
          <q dir="auto" className="line-clamp-2 min-w-0 wrap-anywhere text-ink">
            {input}
          </q>
        </p>
      )}
      <p className="flex flex-wrap items-center gap-x-4 tabular">
        <span>
          asked {clockTime(time, now)}, {formatDuration(Math.max(0, time - startedAt))} after the start
        </span>
        <span>{cost === null ? 'cost unknown' : `${formatCost(cost)} so far`}</span>
        <span>expires {clockTime(expiresAt, now)}</span>
        <a
          href={hrefOf({ page: 'run', runId })}
          className="inline-flex items-center text-accent underline underline-offset-2 pointer-coarse:min-h-11"
        >
          Open run
        </a>
      </p>
    </div>
  )
}
