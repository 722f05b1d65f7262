import type { RunView } from '@troupe/headends'
import type { ReactElement } from 'react'
import { Notice } from '../ui/notice.tsx'

/** Shows that a run was interrupted, and the command that resumes it. */
export function InterruptedNote({
  details: { runId, detail },
  className,
}: {
  readonly details: Pick<RunView, 'runId' | 'detail'>
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
