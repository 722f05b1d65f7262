import type { DecisionBody } from '@troupe/client'
import type { ApprovalView } from '@troupe/timeline'
import { MessageCircleQuestion, ShieldQuestion } from 'lucide-react'
import { useRef, type ReactElement, type ReactNode } from 'react'
import { client } from '../api/client.ts'
import { useAction } from '../api/use-request.ts'
import { FailureNotice } from '../ui/notice.tsx'
import { AgentPath } from './agent-path.tsx'
import { ApprovalAnswer } from './approval-answer.tsx'
import { CallBody } from './call-body.tsx'
import { QuestionAnswer } from './question-answer.tsx'
import { useCallDescription } from './use-call-description.ts'

/**
 * Shows a call that waits for a person: an approval with what the call will do, or a question of the tool with
 * its answer field.
 */
export function ApprovalCard({
  rootRunId,
  approval,
  path,
  children,
  onDecided,
}: {
  readonly rootRunId: string
  readonly approval: Pick<ApprovalView, 'approvalId' | 'toolName' | 'args' | 'asks' | 'reason' | 'time'>
  /** The instances from the root run to the run that asks. */
  readonly path: readonly string[]
  /** Facts about the origin of the call. */
  readonly children?: ReactNode
  readonly onDecided?: () => void
}): ReactElement {
  const { approvalId, toolName, args, asks, reason } = approval
  const card = useRef<HTMLElement>(null)
  const decide = useAction(
    (decision: DecisionBody) => client.approvals.decide({ runId: rootRunId, approvalId }, decision),
    () => {
      focusNeighbour(card.current)
      onDecided?.()
    },
  )
  const description = useCallDescription(rootRunId, approval)
  const Icon = asks === undefined ? ShieldQuestion : MessageCircleQuestion
  return (
    <article
      ref={card}
      tabIndex={0}
      aria-label={`${path.at(-1) ?? ''} ${asks === undefined ? `wants to call ${toolName}` : 'asks you'}`}
      className="flex flex-col gap-3 rounded-lg border border-warn/40 bg-warn-wash px-4 py-3"
    >
      <div className="flex items-baseline gap-2 text-small">
        <Icon aria-hidden="true" className="size-4 shrink-0 self-center text-warn" />
        <p className="min-w-0 break-words">
          <AgentPath path={path} />{' '}
          {asks === undefined ? (
            <>
              wants to call <code className="font-mono font-semibold break-all">{toolName}</code>
            </>
          ) : (
            'asks you'
          )}
        </p>
      </div>
      {children}
      {reason === undefined ? null : (
        <p dir="auto" className="text-small wrap-anywhere">
          {reason}
        </p>
      )}
      {asks === undefined ? (
        <>
          {description === undefined ? (
            <p className="text-small text-muted">Reading the file…</p>
          ) : (
            <CallBody description={description} args={args} />
          )}
          <ApprovalAnswer
            card={card}
            toolName={toolName}
            agent={path.at(-1)?.replace(/\[\d+\]$/u, '') ?? ''}
            action={description?.action}
            canRemember={reason === undefined}
            isBusy={decide.isBusy}
            onDecide={decide.run}
          />
        </>
      ) : (
        <QuestionAnswer question={asks} isBusy={decide.isBusy} onDecide={decide.run} />
      )}
      {decide.failure === undefined ? null : <FailureNotice failure={decide.failure} />}
    </article>
  )
}

/** Moves the focus from a card that is about to disappear to the next one, so that the keys work on. */
function focusNeighbour(card: HTMLElement | null): void {
  if (card?.contains(document.activeElement) !== true) return
  const neighbour = card.nextElementSibling ?? card.previousElementSibling
  if (neighbour instanceof HTMLElement && neighbour.tagName === 'ARTICLE') neighbour.focus()
}
