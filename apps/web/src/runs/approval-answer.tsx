import type { AnswerScope, ApprovalDecision, JsonObject } from '@troupe/schema'
import { useState, type ReactElement } from 'react'
import { Button } from '../ui/button.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Select } from '../ui/select.tsx'
import { TextInput } from '../ui/text-input.tsx'

const SCOPES: Readonly<Record<AnswerScope | 'once', string>> = {
  once: 'once',
  session: 'in this conversation',
  always: 'always',
}

/** Shows the arguments of a call with the buttons to approve and deny it, and the scope of an approval. */
export function ApprovalAnswer({
  args,
  canRemember,
  isBusy,
  onDecide,
}: {
  readonly args: JsonObject
  /** True if the decision may apply to the tool beyond this call. */
  readonly canRemember: boolean
  readonly isBusy: boolean
  readonly onDecide: (decision: ApprovalDecision) => void
}): ReactElement {
  const [text, setText] = useState('')
  const [scope, setScope] = useState<AnswerScope | 'once'>('once')
  const reason = text.trim() === '' ? {} : { reason: text.trim() }
  const remember = scope === 'once' ? {} : { remember: scope }
  return (
    <>
      <JsonView value={args} open={2} />
      <div className="flex flex-wrap items-center gap-2">
        <Button
          tone="solid"
          disabled={isBusy}
          onClick={() => onDecide({ decision: 'approved', ...reason, ...remember })}
        >
          Approve
        </Button>
        {canRemember ? (
          <Select
            aria-label="Approve"
            value={scope}
            disabled={isBusy}
            onChange={(event) => setScope(event.target.value as AnswerScope | 'once')}
          >
            {Object.entries(SCOPES).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </Select>
        ) : null}
        <Button tone="danger" disabled={isBusy} onClick={() => onDecide({ decision: 'denied', ...reason })}>
          Deny
        </Button>
        <TextInput
          aria-label="Reason"
          placeholder="Reason, which the agent reads (optional)"
          className="min-w-40 grow basis-0"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
    </>
  )
}
