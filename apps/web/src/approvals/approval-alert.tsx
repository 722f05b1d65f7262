import type { ApprovalList } from '@troupe/client'
import { useEffect, useRef, useState, type ReactElement } from 'react'
import { announcementOf, showNotification } from './notifications.ts'

/**
 * Announces each new approval once to screen readers, and with a notification while the page is in the background.
 * Those that were open before the page was loaded are not announced. The text of a decided approval is removed.
 */
export function ApprovalAlert({
  approvals,
}: {
  /** The open approvals; `undefined` before they are loaded. */
  readonly approvals: ApprovalList['approvals'] | undefined
}): ReactElement {
  const known = useRef<ReadonlySet<string>>(undefined)
  const [announced, setAnnounced] = useState<ApprovalList['approvals']>([])
  useEffect(() => {
    if (approvals === undefined) return
    const before = known.current
    known.current = new Set(approvals.map(({ approvalId }) => approvalId))
    if (before === undefined) return
    const added = approvals.filter(({ approvalId }) => !before.has(approvalId))
    if (added.length === 0) return
    setAnnounced(added)
    if (document.hidden) for (const approval of added) void showNotification(approval)
  }, [approvals])
  const open = new Set(approvals?.map(({ approvalId }) => approvalId))
  // Always rendered, so that a screen reader announces its content.
  return (
    <div role="alert" className="sr-only">
      {announced
        .filter(({ approvalId }) => open.has(approvalId))
        .map((approval) => (
          <p key={approval.approvalId}>{announcementOf(approval)}.</p>
        ))}
    </div>
  )
}
