import type { ApprovalList } from '@troupe/client'
import { useEffect, useRef, useState, type ReactElement } from 'react'
import { announcementOf, showNotification } from './notifications.ts'

/**
 * Announces each new approval once to screen readers, and with a notification while the page is in the background.
 * Those that were open before the page was loaded are not announced.
 */
export function ApprovalAlert({
  approvals,
}: {
  /** The open approvals; `undefined` before they are loaded. */
  readonly approvals: ApprovalList['approvals'] | undefined
}): ReactElement {
  const known = useRef<ReadonlySet<string>>(undefined)
  const [text, setText] = useState('')
  useEffect(() => {
    if (approvals === undefined) return
    const before = known.current
    known.current = new Set(approvals.map(({ approvalId }) => approvalId))
    if (before === undefined) return
    const added = approvals.filter(({ approvalId }) => !before.has(approvalId))
    if (added.length === 0) return
    setText(added.map((approval) => `${announcementOf(approval)}.`).join(' '))
    if (document.hidden) for (const approval of added) void showNotification(approval)
  }, [approvals])
  // Always rendered, so that a screen reader announces its content.
  return (
    <div role="alert" className="sr-only">
      {text}
    </div>
  )
}
