import type { ApprovalView } from '@troupe/timeline'
import { MessageCircleQuestion, ShieldQuestion } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { decideApproval } from '../api/run-control.ts'
import { useAction } from '../api/use-action.ts'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { ApprovalAnswer } from './approval-answer.tsx'
import { QuestionAnswer } from './question-answer.tsx'

/**
 * Shows a call that waits for a person: an approval with its arguments, or a question of the tool with its
 * answer field.
 */
export function ApprovalCard({
  rootRunId,
  approval,
  path,
  children,
  onDecided,
}: {
  readonly rootRunId: string
  readonly approval: Pick<ApprovalView, 'approvalId' | 'toolName' | 'args' | 'asks' | 'reason'>
  /** The instances from the root run to the run that asks. */
  readonly path: readonly string[]
  /** A link to the run, in a list of several runs. */
  readonly children?: ReactNode
  readonly onDecided?: () => void
}): ReactElement {
  const { approvalId, toolName, asks, reason } = approval
  const decide = useAction(
    (decision: Parameters<typeof decideApproval>[1]['decision']) =>
      decideApproval(rootRunId, { approvalId, decision }),
    onDecided,
  )
  const Icon = asks === undefined ? ShieldQuestion : MessageCircleQuestion
  return (
    <article className="flex flex-col gap-3 rounded-lg border border-warn/40 bg-warn-wash px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-small">
        <Icon aria-hidden="true" className="size-4 text-warn" />
        <span className="min-w-0 break-words">
          {path.slice(0, -1).map((instance, index) => (
            <span key={index} className="text-muted">
              {instance} ›{' '}
            </span>
          ))}
          <strong className="font-semibold">{path.at(-1)}</strong>{' '}
          {asks === undefined ? (
            <>
              wants to call <code className="font-mono font-semibold">{toolName}</code>
            </>
          ) : (
            'asks you'
          )}
        </span>
        {children}
      </div>
      {reason === undefined ? null : <p className="text-small">{reason}</p>}
      {asks === undefined ? (
        <ApprovalAnswer
          args={approval.args}
          canRemember={reason === undefined}
          isBusy={decide.isBusy}
          onDecide={decide.run}
        />
      ) : (
        <QuestionAnswer question={asks} isBusy={decide.isBusy} onDecide={decide.run} />
      )}
      {decide.failure === undefined ? null : <FailureNotice failure={decide.failure} />}
    </article>
  )
}
