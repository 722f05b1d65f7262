import { ShieldCheck } from 'lucide-react'
import type { ReactElement } from 'react'
import { useNow } from '../feed/use-now.ts'
import { clockTime } from '../format/clock-time.ts'
import { hrefOf } from '../route/route.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { ApprovalCard } from './approval-card.tsx'
import type { WaitingCall } from './use-open-approvals.ts'

/** The calls that wait for a person, of all runs. */
export function ApprovalsPage({
  calls,
  onDecided,
}: {
  readonly calls: readonly WaitingCall[] | undefined
  readonly onDecided: () => void
}): ReactElement {
  const now = useNow(false)
  return (
    <>
      <PageHead title="Approvals" />
      {calls?.length === 0 ? (
        <EmptyState icon={<ShieldCheck className="size-5" />} title="Nobody waits for you">
          Calls that a card lists under <code className="font-mono">requiresApproval</code>, and tools that
          say they change something for good, ask here before they run.
        </EmptyState>
      ) : null}
      <div className="mx-auto flex max-w-3xl flex-col gap-3 p-4 sm:p-6">
        {calls?.map(({ run, approval }) => (
          <ApprovalCard
            key={`${run.runId} ${approval.approvalId}`}
            rootRunId={run.runId}
            approval={approval}
            instance={approval.instance}
            onDecided={onDecided}
          >
            <span className="ml-auto text-tiny text-muted">
              {clockTime(approval.time, now)} in{' '}
              <a
                href={hrefOf({ page: 'run', runId: run.runId })}
                className="text-accent underline underline-offset-2"
              >
                {run.agent}
              </a>
            </span>
          </ApprovalCard>
        ))}
      </div>
    </>
  )
}
