import { formatDuration, type TimelineRun } from '@troupe/timeline'
import { useState, type ReactElement } from 'react'
import { usageOf, type RunViewState } from '../reducers/run-view-state.ts'
import { Inspector } from '../timeline/inspector.tsx'
import { WaterfallView } from '../timeline/waterfall-view.tsx'
import { clockTime, costText, tokensText } from '../ui/format.ts'

/** Shows the waterfall of a run tree with its totals, and the selected row. */
export function RunTree({
  viewState,
  root,
  now,
  until,
}: {
  readonly viewState: RunViewState
  readonly root: TimelineRun
  readonly now: number
  /** The end of the axis, in ms since 1970. Default: the end of the last row. */
  readonly until?: number
}): ReactElement {
  const [selectedRunId, setSelected] = useState<string>()
  const selected = selectedRunId ?? root.runId
  const usage = usageOf(viewState)
  const { length } = viewState.timeline.runs
  return (
    <>
      <p className="flex shrink-0 flex-wrap gap-x-4 gap-y-0.5 border-b border-line px-4 py-2 text-small text-muted tabular sm:px-6">
        <span>{clockTime(root.startedAt, now)}</span>
        <span>
          {formatDuration(root.durationMs ?? Math.max(0, (viewState.interruptedAt ?? now) - root.startedAt))}
        </span>
        <span>
          {length} {length === 1 ? 'run' : 'runs'}
        </span>
        <span>{tokensText(usage)} tokens</span>
        <span>{costText(usage)}</span>
      </p>
      <div className="grid min-h-0 grow grid-rows-[auto_auto] overflow-auto lg:grid-cols-[minmax(0,1fr)_minmax(22rem,30%)] lg:grid-rows-1 lg:overflow-hidden">
        <div className="min-w-0 lg:overflow-auto">
          <WaterfallView
            viewState={viewState}
            now={now}
            {...(until === undefined ? {} : { until })}
            selected={selected}
            onSelect={setSelected}
          />
        </div>
        <div className="flex min-h-0 min-w-0 flex-col border-t border-line bg-panel lg:border-t-0 lg:border-l">
          <Inspector viewState={viewState} selected={selected} onSelect={setSelected} />
        </div>
      </div>
    </>
  )
}
