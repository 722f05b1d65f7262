import type { ApprovalList } from '@troupe/client'
import { ShieldCheck } from 'lucide-react'
import type { ReactElement } from 'react'
import { useServerLink } from '../api/server-link.ts'
import type { RequestState } from '../api/use-request.ts'
import { useNow } from '../feed/use-run.ts'
import { hrefOf } from '../route/route.ts'
import { clockTime } from '../ui/format.ts'
import { EmptyState, FailureNotice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { ApprovalCard } from './approval-card.tsx'

/** Lists the open approvals and questions of all runs, oldest first. */
export function ApprovalsPage({
  approvals: approvalsRequest,
}: {
  readonly approvals: RequestState<ApprovalList>
}): ReactElement {
  const { value, failure, refresh } = approvalsRequest
  const { isLost } = useServerLink()
  const now = useNow(false)
  const { approvals = [], total = 0 } = value ?? {}
  return (
    <>
      <PageHead title="Approvals" />
      {failure === undefined || isLost ? null : <FailureNotice failure={failure} className="m-4 sm:mx-6" />}
      {value !== undefined && total === 0 ? (
        <EmptyState icon={<ShieldCheck className="size-5" />} title="No open approvals">
          Calls that a card lists under <code className="font-mono">requiresApproval</code>, and tools that
          are marked as destructive, need your approval here before they run.
        </EmptyState>
      ) : null}
      <div className="mx-auto flex max-w-3xl flex-col gap-3 p-4 sm:p-6">
        {approvals.map((approval) => (
          <ApprovalCard
            key={`${approval.runId} ${approval.approvalId}`}
            rootRunId={approval.runId}
            approval={approval}
            path={approval.path}
            onDecided={refresh}
          >
            <span className="ml-auto text-tiny text-muted">
              {clockTime(approval.time, now)} · expires {clockTime(approval.expiresAt, now)} ·{' '}
              <a
                href={hrefOf({ page: 'run', runId: approval.runId })}
                className="text-accent underline underline-offset-2"
              >
                Open run
              </a>
            </span>
          </ApprovalCard>
        ))}
        {total > approvals.length ? (
          <p className="text-center text-small text-muted">
            {total - approvals.length} more are open. They are shown once these are answered.
          </p>
        ) : null}
      </div>
    </>
  )
}
