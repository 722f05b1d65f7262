import { formatDuration, type TimelineRun } from '@troupe/timeline'
import { useCallback, useRef, useState, type ReactElement } from 'react'
import { usageOf, type RunViewState } from '../reducers/run-view-state.ts'
import { DurationText } from '../timeline/bar.tsx'
import { liveClock, type TimelineClock } from '../timeline/clock.ts'
import { DetailsSheet } from '../timeline/details-sheet.tsx'
import { Inspector } from '../timeline/inspector.tsx'
import { useToggledRows, type ToggledRows } from '../timeline/use-timeline-rows.ts'
import { WaterfallView } from '../timeline/waterfall-view.tsx'
import { clockTime, costText, durationText, tokensText } from '../ui/format.ts'
import { useMedia } from '../ui/use-media.ts'

/** Which rows of a run are open, and which is selected. Kept while a replay takes the place of the timeline. */
export interface TreeChoices {
  readonly toggled: ToggledRows
  /** The key of the selected row; `undefined` for the root run. */
  readonly selected: string | undefined
  readonly setSelected: (key: string) => void
}

/** Keeps the choices of a run's timeline. */
export function useTreeChoices(): TreeChoices {
  const toggled = useToggledRows()
  const [selected, setSelected] = useState<string>()
  return { toggled, selected, setSelected }
}

/**
 * Shows the timeline of a run tree with its totals, and the selected row: beside the timeline, or on a small
 * screen in a sheet.
 */
export function RunTree({
  viewState,
  root,
  choices,
  clock = liveClock,
  until,
}: {
  readonly viewState: RunViewState
  readonly root: TimelineRun
  readonly choices: TreeChoices
  /** Default: the time of the browser. */
  readonly clock?: TimelineClock
  /** The end of the axis, in ms since 1970. Default: the end of the last row. */
  readonly until?: number
}): ReactElement {
  const { toggled, setSelected } = choices
  const selected = choices.selected ?? root.runId
  const hasSheet = useMedia('(width < 64rem)')
  const [isSheetOpen, setSheetOpen] = useState(false)
  const timeline = useRef<HTMLDivElement>(null)
  const openSheet = useCallback(() => setSheetOpen(true), [])
  const closeSheet = useCallback(() => setSheetOpen(false), [])
  return (
    <>
      <Totals viewState={viewState} root={root} clock={clock} />
      <div className="grid min-h-0 grow lg:grid-cols-[minmax(0,1fr)_minmax(22rem,30%)]">
        <div ref={timeline} className="min-h-0 min-w-0 overflow-auto bg-panel">
          <WaterfallView
            hasTools
            viewState={viewState}
            clock={clock}
            until={until}
            selected={selected}
            toggled={toggled}
            onSelect={setSelected}
            onOpen={openSheet}
          />
        </div>
        {hasSheet ? (
          <DetailsSheet
            isOpen={isSheetOpen}
            onClose={closeSheet}
            viewState={viewState}
            selected={selected}
            onSelect={setSelected}
            returnFocus={() => timeline.current?.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')}
          />
        ) : (
          <div className="flex min-h-0 min-w-0 flex-col border-l border-line bg-panel">
            <Inspector viewState={viewState} selected={selected} onSelect={setSelected} />
          </div>
        )}
      </div>
    </>
  )
}

/** Shows when the run started, and the totals of the run tree. */
function Totals({
  viewState,
  root,
  clock,
}: {
  readonly viewState: RunViewState
  readonly root: TimelineRun
  readonly clock: TimelineClock
}): ReactElement {
  const usage = usageOf(viewState)
  const { length } = viewState.timeline.runs
  return (
    <p className="flex shrink-0 flex-wrap gap-x-4 gap-y-0.5 border-b border-line px-4 py-2 text-small text-muted tabular sm:px-6">
      <span>{clockTime(root.startedAt, Date.now())}</span>
      {root.durationMs === undefined ? (
        <DurationText from={root.startedAt} to={viewState.interruptedAt} clock={clock} />
      ) : (
        <span>{durationText(root) ?? formatDuration(root.durationMs)}</span>
      )}
      <span>
        {length} {length === 1 ? 'run' : 'runs'}
      </span>
      <span>{tokensText(usage)} tokens</span>
      <span>{costText(usage)}</span>
    </p>
  )
}
