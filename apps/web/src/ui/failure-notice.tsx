import type { ReactElement } from 'react'
import type { RequestFailure } from '../api/request.ts'
import { Notice } from './notice.tsx'
import { TickedText } from './ticked-text.tsx'

/** What went wrong, its code, and what to do. */
export function FailureNotice({
  failure,
  className,
}: {
  readonly failure: RequestFailure
  readonly className?: string
}): ReactElement {
  return (
    <Notice tone="bad" {...(className === undefined ? {} : { className })}>
      <p className="font-medium whitespace-pre-wrap">
        <TickedText text={failure.message} />
      </p>
      {failure.remediation === undefined ? null : (
        <p className="mt-1 text-ink">
          <TickedText text={failure.remediation} />
        </p>
      )}
      <p className="mt-1 font-mono text-tiny">{failure.code}</p>
    </Notice>
  )
}
