import type { AnswerScope, ApprovalDecision } from '@troupe/schema'
import type { CallDescription } from '@troupe/timeline'
import { useRef, useState, type ReactElement, type RefObject } from 'react'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { TextInput } from '../ui/field.tsx'
import { TOUCH } from './touch.ts'
import { useCardKeys } from './use-card-keys.ts'

/**
 * Shows the buttons that allow or deny a call. Where the tool is known, the first one says what it does. In the
 * card, the keys `a`, `s` and `d` allow once, allow in the conversation, and go to the reason of a denial.
 */
export function ApprovalAnswer({
  card,
  toolName,
  agent,
  action,
  canRemember,
  decisions = ['approved', 'denied'],
  isBusy,
  onDecide,
}: {
  /** The element in which the keys work. */
  readonly card: RefObject<HTMLElement | null>
  readonly toolName: string
  readonly agent: string
  /** Short name of what the call does; `undefined` if it is not known. */
  readonly action: CallDescription['action'] | undefined
  /** True if the decision may apply to the tool beyond this call. */
  readonly canRemember: boolean
  /** Decisions that the person may make. Default: both. */
  readonly decisions?: readonly ApprovalDecision['decision'][]
  readonly isBusy: boolean
  readonly onDecide: (decision: ApprovalDecision) => void
}): ReactElement {
  const [text, setText] = useState('')
  const [isConfirming, setConfirming] = useState(false)
  const reasonInput = useRef<HTMLInputElement>(null)
  const reason = text.trim() === '' ? {} : { reason: text.trim() }
  const allow = (remember?: AnswerScope): void =>
    onDecide({ decision: 'approved', ...reason, ...(remember === undefined ? {} : { remember }) })
  const deny = (): void => onDecide({ decision: 'denied', ...reason })
  const mayAllow = decisions.includes('approved')
  const mayDeny = decisions.includes('denied')
  useCardKeys(card, {
    ...(mayAllow && !isConfirming ? { a: () => allow() } : {}),
    ...(mayAllow && !isConfirming && canRemember ? { s: () => allow('session') } : {}),
    ...(mayDeny ? { d: () => reasonInput.current?.focus() } : {}),
  })
  if (isConfirming)
    return (
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 basis-full text-small">
          Allow every call of <code className="font-mono">{toolName}</code> by {agent} from now on, in all
          conversations and with any arguments?
        </p>
        <Button tone="solid" className={TOUCH} disabled={isBusy} onClick={() => allow('always')}>
          Always allow {toolName}
        </Button>
        <Button autoFocus className={TOUCH} onClick={() => setConfirming(false)}>
          Cancel
        </Button>
      </div>
    )
  return (
    <div className="flex flex-wrap items-center gap-2">
      {mayAllow ? (
        <Button
          tone="solid"
          aria-keyshortcuts="a"
          title={action === undefined ? 'Allow once (a)' : `${action} (a)`}
          className={classNames(TOUCH, 'max-w-full max-sm:grow')}
          disabled={isBusy}
          onClick={() => allow()}
        >
          <span className="truncate">{action ?? 'Allow once'}</span>
        </Button>
      ) : null}
      {canRemember ? (
        <>
          <Button
            aria-keyshortcuts="s"
            title="Allow in this conversation (s)"
            className={classNames(TOUCH, 'max-sm:grow')}
            disabled={isBusy}
            onClick={() => allow('session')}
          >
            Allow in this conversation
          </Button>
          <Button tone="quiet" className={TOUCH} disabled={isBusy} onClick={() => setConfirming(true)}>
            Always…
          </Button>
        </>
      ) : null}
      {mayDeny ? (
        <form
          className="flex min-w-0 grow basis-72 gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            deny()
          }}
        >
          <TextInput
            ref={reasonInput}
            aria-label="Reason"
            placeholder="Reason for the agent (optional)"
            className={classNames(TOUCH, 'min-w-0 grow')}
            maxLength={1000}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button
            type="submit"
            tone="danger"
            title="Deny (d, then Enter)"
            aria-keyshortcuts="d"
            className={TOUCH}
            disabled={isBusy}
          >
            Deny
          </Button>
        </form>
      ) : null}
    </div>
  )
}
