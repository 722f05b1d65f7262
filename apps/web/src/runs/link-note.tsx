import type { ReactElement } from 'react'
import type { FeedLink } from '../feed/run-feed.ts'
import { Notice } from '../ui/notice.tsx'

/** Says when the page is not in touch with a run. */
export function LinkNote({
  link,
  isEmpty,
  runId,
}: {
  readonly link: FeedLink
  readonly isEmpty: boolean
  readonly runId: string
}): ReactElement | null {
  if (link === 'lost')
    return (
      <Notice tone="warn" className="mx-4 mt-3 sm:mx-6">
        {isEmpty
          ? `The server has no run ${runId} for you, or does not answer. It is asked again.`
          : 'The connection is lost. What is shown may be old; it is opened again by itself.'}
      </Notice>
    )
  if (!isEmpty || link === 'over') return null
  return <p className="breathing px-4 py-6 text-small text-muted sm:px-6">Reads the run …</p>
}
