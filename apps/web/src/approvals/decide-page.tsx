import type { LinkedApproval } from '@troupe/client'
import type { ApprovalDecision } from '@troupe/schema'
import { describeCall } from '@troupe/timeline'
import { Check } from 'lucide-react'
import { useMemo, useRef, useState, type ReactElement } from 'react'
import { client } from '../api/client.ts'
import { useAction, useRequest } from '../api/use-request.ts'
import { clockTime } from '../ui/format.ts'
import { EmptyState, FailureNotice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { AgentPath } from './agent-path.tsx'
import { ApprovalAnswer } from './approval-answer.tsx'
import { CallBody } from './call-body.tsx'

/** Shows the call that a link decides. Its holder decides without signing in. */
export function DecidePage({ token }: { readonly token: string }): ReactElement {
  const { value, failure } = useRequest({
    key: `link ${token}`,
    load: (options) => client.approvals.openLink(token, options),
  })
  const [decision, setDecision] = useState<ApprovalDecision['decision']>()
  return (
    <div className="flex h-full flex-col">
      <PageHead title="Approval" />
      <main className="min-h-0 grow overflow-auto p-4">
        <div className="mx-auto flex max-w-3xl flex-col gap-3">
          {failure === undefined || value !== undefined ? null : <FailureNotice failure={failure} />}
          <div role="status">
            {decision === undefined ? null : (
              <EmptyState icon={<Check className="size-5" />} title={DONE[decision]}>
                The run continues. This link cannot be used again.
              </EmptyState>
            )}
          </div>
          {value === undefined || decision !== undefined ? null : (
            <LinkedCall token={token} linked={value} onDone={setDecision} />
          )}
        </div>
      </main>
    </div>
  )
}

const DONE: Readonly<Record<ApprovalDecision['decision'], string>> = {
  approved: 'You allowed the call',
  denied: 'You denied the call',
}

function LinkedCall({
  token,
  linked: { approval, decisions, expiresAt, target: file },
  onDone,
}: {
  readonly token: string
  readonly linked: LinkedApproval
  readonly onDone: (decision: ApprovalDecision['decision']) => void
}): ReactElement {
  const { toolName, args, path, agent, input, reason, time } = approval
  const card = useRef<HTMLElement>(null)
  const description = useMemo(
    () => describeCall(toolName, args, file === undefined ? undefined : { file, requestedAt: time }),
    [toolName, args, file, time],
  )
  const decide = useAction(
    ({ decision, reason: comment }: ApprovalDecision) =>
      client.approvals.decideByLink({
        token,
        decision,
        ...(comment === undefined ? {} : { reason: comment }),
      }),
    ({ decision }) => onDone(decision),
  )
  return (
    <article
      ref={card}
      tabIndex={0}
      aria-label={`${path.at(-1) ?? agent} wants to call ${toolName}`}
      className="flex flex-col gap-3 rounded-lg border border-warn/40 bg-warn-wash px-4 py-3"
    >
      <p className="min-w-0 text-small break-words">
        <AgentPath path={path} /> wants to call{' '}
        <code className="font-mono font-semibold break-all">{toolName}</code>
      </p>
      {input === '' ? null : (
        <q dir="auto" className="line-clamp-3 text-small wrap-anywhere">
          {input}
        </q>
      )}
      {reason === undefined ? null : (
        <p dir="auto" className="text-small wrap-anywhere">
          {reason}
        </p>
      )}
      <CallBody description={description} args={args} />
      <ApprovalAnswer
        card={card}
        toolName={toolName}
        agent={agent}
        action={description.action}
        canRemember={false}
        decisions={decisions}
        isBusy={decide.isBusy}
        onDecide={decide.run}
      />
      <p className="text-small text-muted">
        This link can be used once, until {clockTime(expiresAt, Date.now())}.
      </p>
      {decide.failure === undefined ? null : <FailureNotice failure={decide.failure} />}
    </article>
  )
}
