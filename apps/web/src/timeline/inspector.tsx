import { findRun } from '@troupe/timeline'
import type { ReactElement } from 'react'
import type { RunViewState } from '../reducers/run-view-state.ts'
import { CallDetails } from './call-details.tsx'
import { RunDetails } from './run-details.tsx'

/** Shows the details of the selected row. `selected` is the key of a row. */
export function Inspector({
  viewState,
  selected,
  onSelect,
}: {
  readonly viewState: RunViewState
  readonly selected: string
  readonly onSelect: (key: string) => void
}): ReactElement | null {
  const [runId = '', callId] = selected.split(' ')
  const run = findRun(viewState.timeline, runId)
  const call = run?.calls.find((one) => one.callId === callId)
  if (run === undefined) return null
  return (
    <section aria-label="Details" className="flex min-h-0 min-w-0 flex-col">
      <h2 className="flex h-11 shrink-0 items-center gap-2 px-4 text-small">
        {call === undefined ? (
          <span className="truncate font-semibold">{run.instance}</span>
        ) : (
          <>
            <span className="truncate text-muted">{run.instance}</span>
            <span className="truncate font-mono font-semibold">{call.toolName}</span>
          </>
        )}
      </h2>
      {call === undefined ? (
        <RunDetails key={selected} run={run} viewState={viewState} onOpenRun={onSelect} />
      ) : (
        <CallDetails key={selected} call={call} run={run} viewState={viewState} onOpenRun={onSelect} />
      )}
    </section>
  )
}
