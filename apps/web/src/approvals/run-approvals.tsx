import { requestExpiry } from '@troupe/schema'
import type { TimelineRun } from '@troupe/timeline'
import { lazy, Suspense, type ReactElement } from 'react'
import type { RunViewState } from '../reducers/run-view-state.ts'
import { clockTime } from '../ui/format.ts'

const ApprovalCard = lazy(async () => ({ default: (await import('./approval-card.tsx')).ApprovalCard }))

/** Shows the open approvals of a run tree. */
export function RunApprovals({
  viewState,
  rootRunId,
}: {
  readonly viewState: RunViewState
  readonly rootRunId: string
}): ReactElement | null {
  const { runs } = viewState.timeline
  const isActive = viewState.interruptedAt === undefined
  const open = runs.flatMap((run) => run.approvals.map((approval) => ({ run, approval })))
  if (open.length === 0) return null
  return (
    <section aria-label="Approvals" className="flex flex-col gap-2 px-4 py-3 sm:px-6">
      <Suspense>
        {open.map(({ run, approval }) => (
          <ApprovalCard
            key={approval.approvalId}
            rootRunId={rootRunId}
            approval={approval}
            path={pathOf(run, runs)}
          >
            <p className="text-small text-muted">
              expires {clockTime(requestExpiry(approval, isActive), Date.now())}
            </p>
          </ApprovalCard>
        ))}
      </Suspense>
    </section>
  )
}

/** Returns the instances from the root run to a run. */
function pathOf(run: TimelineRun, runs: readonly TimelineRun[]): readonly string[] {
  const parent = runs.find(({ runId }) => runId === run.parentRunId)
  return parent === undefined ? [run.instance] : [...pathOf(parent, runs), run.instance]
}
