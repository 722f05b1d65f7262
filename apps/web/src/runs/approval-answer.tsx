import type { ApprovalDecision, JsonObject } from '@troupe/schema'
import { useState, type ReactElement } from 'react'
import { Button } from '../ui/button.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { TextInput } from '../ui/text-input.tsx'

/** What a call would do, and the two answers. */
export function ApprovalAnswer({
  args,
  isBusy,
  onDecide,
}: {
  readonly args: JsonObject
  readonly isBusy: boolean
  readonly onDecide: (decision: ApprovalDecision) => void
}): ReactElement {
  const [text, setText] = useState('')
  const reason = text.trim() === '' ? {} : { reason: text.trim() }
  return (
    <>
      <JsonView value={args} open={2} />
      <div className="flex flex-wrap items-center gap-2">
        <Button tone="solid" disabled={isBusy} onClick={() => onDecide({ decision: 'approved', ...reason })}>
          Approve
        </Button>
        <Button tone="danger" disabled={isBusy} onClick={() => onDecide({ decision: 'denied', ...reason })}>
          Deny
        </Button>
        <TextInput
          aria-label="Reason"
          placeholder="Reason, which the agent reads (optional)"
          className="max-w-80"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
    </>
  )
}
