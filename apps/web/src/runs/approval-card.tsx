import type { ApprovalDecision, JsonObject } from '@troupe/schema'
import { ShieldQuestion } from 'lucide-react'
import { useState, type ReactElement, type ReactNode } from 'react'
import { decideApproval } from '../api/run-control.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { TextInput } from '../ui/text-input.tsx'

/** One call that waits for a person: what would be done, and the two answers. */
export function ApprovalCard({
  rootRunId,
  approvalId,
  instance,
  toolName,
  args,
  children,
  onDecided,
}: {
  readonly rootRunId: string
  readonly approvalId: string
  readonly instance: string
  readonly toolName: string
  readonly args: JsonObject
  /** Where the run is, in a list of several. */
  readonly children?: ReactNode
  readonly onDecided?: () => void
}): ReactElement {
  const [reason, setReason] = useState('')
  const decide = useAction(
    (decision: ApprovalDecision['decision']) =>
      decideApproval(rootRunId, {
        approvalId,
        decision: { decision, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) },
      }),
    onDecided,
  )
  return (
    <article className="flex flex-col gap-3 rounded-lg border border-warn/40 bg-warn-wash px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-small">
        <ShieldQuestion aria-hidden="true" className="size-4 text-warn" />
        <span>
          <strong className="font-semibold">{instance}</strong> wants to call{' '}
          <code className="font-mono font-semibold">{toolName}</code>
        </span>
        {children}
      </div>
      <JsonView value={args} open={2} />
      <div className="flex flex-wrap items-center gap-2">
        <Button tone="solid" disabled={decide.isBusy} onClick={() => decide.run('approved')}>
          Approve
        </Button>
        <Button tone="danger" disabled={decide.isBusy} onClick={() => decide.run('denied')}>
          Deny
        </Button>
        <TextInput
          aria-label="Reason"
          placeholder="Reason, which the agent reads (optional)"
          className="max-w-80"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
      {decide.failure === undefined ? null : <FailureNotice failure={decide.failure} />}
    </article>
  )
}
