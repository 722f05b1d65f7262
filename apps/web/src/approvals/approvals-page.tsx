import type { ApprovalList } from '@troupe/client'
import type { ReactElement } from 'react'
import type { RequestState } from '../api/use-request.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { DecisionLog } from './decision-log.tsx'
import { OpenApprovals } from './open-approvals.tsx'
import { NotifyButton } from './notify-button.tsx'

/** Shows the open approvals and questions of all runs, and the decisions that were made. */
export function ApprovalsPage({
  approvals,
}: {
  readonly approvals: RequestState<ApprovalList>
}): ReactElement {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHead title="Approvals">
        <NotifyButton />
      </PageHead>
      <Tabs
        label="Approvals"
        tabs={[
          { id: 'open', label: 'Open', content: <OpenApprovals approvals={approvals} /> },
          { id: 'decided', label: 'Decided', content: <DecisionLog /> },
        ]}
      />
    </div>
  )
}
