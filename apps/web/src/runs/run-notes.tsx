import type { Run } from '@troupe/client'
import type { ReactElement } from 'react'
import { useServerLink } from '../api/server-link.ts'
import type { FeedLink } from '../feed/run-view-feed.ts'
import { buttonClasses } from '../ui/button.tsx'
import { EmptyState, Notice } from '../ui/notice.tsx'

/**
 * Shows that the event stream of a run failed, or that there is no such run. A lost server is shown by
 * `ServerNote`.
 */
export function LinkNote({
  link,
  isEmpty,
  runId,
}: {
  readonly link: FeedLink
  readonly isEmpty: boolean
  readonly runId: string
}): ReactElement | null {
  const { isLost } = useServerLink()
  if (link === 'unknown')
    return (
      <EmptyState
        title="Run not found"
        action={
          <a href="#/runs" className={buttonClasses()}>
            Show your runs
          </a>
        }
      >
        The server has no run <span className="font-mono break-all">{runId}</span> that you can see. It may
        have been deleted, or belong to another user.
      </EmptyState>
    )
  if (isLost) return null
  if (link === 'lost')
    return (
      <Notice tone="warn" className="mx-4 mt-3 sm:mx-6">
        The events of this run cannot be loaded. The page may be out of date and keeps trying.
      </Notice>
    )
  if (!isEmpty || link === 'over') return null
  return <p className="breathing px-4 py-6 text-small text-muted sm:px-6">Loading the run …</p>
}

/** Shows that a run was interrupted, and the command that resumes it. */
export function InterruptedNote({
  details: { runId, detail },
  className,
}: {
  readonly details: Pick<Run, 'runId' | 'detail'>
  readonly className?: string
}): ReactElement {
  return (
    <Notice tone="warn" {...(className === undefined ? {} : { className })}>
      {detail === 'metadata' ? (
        'This run was interrupted. Only its metadata is saved, so it cannot be resumed.'
      ) : (
        <>
          This run was interrupted. Resume it with{' '}
          <code className="font-mono text-[0.95em]">troupe run --resume {runId}</code>
        </>
      )}
    </Notice>
  )
}
