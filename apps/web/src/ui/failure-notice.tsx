import type { ReactElement } from 'react'
import type { RequestFailure } from '../api/request.ts'
import { Notice } from './notice.tsx'
import { TickedText } from './ticked-text.tsx'

/** Codes of runs that were stopped or interrupted. These are not faults, and need no fix. */
const STOPPED: ReadonlySet<string> = new Set(['run_cancelled', 'run_interrupted'])

/** Shows a failure: its message, the fix, and its code. A stopped run is shown as a plain notice. */
export function FailureNotice({
  failure,
  className,
}: {
  readonly failure: RequestFailure
  readonly className?: string
}): ReactElement {
  if (STOPPED.has(failure.code))
    return (
      <Notice {...(className === undefined ? {} : { className })}>
        <TickedText text={failure.message} />
      </Notice>
    )
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
