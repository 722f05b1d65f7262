import { alignRuns, type AlignedRow, type AlignedRuns } from '@troupe/timeline'
import { ArrowDown, ArrowLeftRight, ArrowUp } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useState, type ReactElement } from 'react'
import { useRun } from '../feed/use-run.ts'
import type { FeedLink } from '../feed/run-view-feed.ts'
import { rootOf, runState, type RunViewState } from '../reducers/run-view-state.ts'
import { parseEvalRunId } from '../route/eval-run-ref.ts'
import { goTo, hrefOf } from '../route/route.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { clockTime } from '../ui/format.ts'
import { EmptyState, Notice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { useMedia } from '../ui/use-media.ts'
import { ComparisonList } from './comparison-list.tsx'
import { nextDifference, shownRows } from './comparison-view.ts'
import { MeasureList } from './measure-list.tsx'
import { PromptDifferences } from './prompt-differences.tsx'
import { RowDetails } from './row-details.tsx'

/** Screens that are too narrow for two columns. */
const NARROW = '(max-width: 639px)'
/** The index that selects no row. */
const NO_ROW = -1

/** Compares two runs call by call. */
export function ComparePage({
  left,
  right,
}: {
  readonly left: string
  readonly right: string
}): ReactElement {
  const one = useRun(left)
  const other = useRun(right)
  const [leftTimeline, rightTimeline] = [
    useDeferredValue(one.viewState.timeline),
    useDeferredValue(other.viewState.timeline),
  ]
  const comparison = useMemo(() => alignRuns(leftTimeline, rightTimeline), [leftTimeline, rightTimeline])
  const [onlyDifferences, setOnlyDifferences] = useState(false)
  const isNarrow = useMedia(NARROW)
  // On a narrow screen the rows need the space of the details until one is selected.
  const [selected, setSelected] = useState(isNarrow ? NO_ROW : 0)
  useDifferenceKeys(comparison, selected, setSelected)
  const shown = useMemo(() => shownRows(comparison, onlyDifferences), [comparison, onlyDifferences])
  const row = comparison.rows[selected]
  const sides = [
    { name: 'Left', runId: left, viewState: one.viewState, link: one.link },
    { name: 'Right', runId: right, viewState: other.viewState, link: other.link },
  ] as const
  // measures of one run alone would take less space than those of both
  const isLoaded = [leftTimeline, rightTimeline].every(({ runs }) => runs.length > 0)
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHead title="Compare two runs">
        <CompareActions
          comparison={comparison}
          selected={selected}
          onSelect={setSelected}
          onlyDifferences={onlyDifferences}
          onFilter={setOnlyDifferences}
          onSwap={() => goTo({ page: 'compare', left: right, right: left }, { replace: true })}
        />
      </PageHead>
      <div className="grid shrink-0 border-b border-line sm:grid-cols-[minmax(0,1fr)_8.5rem_minmax(0,1fr)]">
        {sides.map((side) => (
          <SideHead key={side.name} {...side} />
        ))}
      </div>
      {isLoaded ? (
        <>
          <Totals row={comparison.rows[0]} left={left} right={right} />
          {shown.length === 0 ? (
            <div className="min-h-0 grow overflow-auto">
              <EmptyState title="No differences">
                Both runs made the same calls with the same results.
              </EmptyState>
            </div>
          ) : (
            <ComparisonList
              comparison={comparison}
              shown={shown}
              selected={selected}
              onSelect={setSelected}
              isNarrow={isNarrow}
            />
          )}
          {row === undefined ? null : <RowDetails row={row} onClose={() => setSelected(NO_ROW)} />}
        </>
      ) : null}
    </div>
  )
}

/** Selects the next or the previous difference with `n` and `p`. */
function useDifferenceKeys(
  comparison: AlignedRuns,
  selected: number,
  onSelect: (index: number) => void,
): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, target, ctrlKey, metaKey, altKey } = event
      if ((key !== 'n' && key !== 'p') || ctrlKey || metaKey || altKey || isEditable(target)) return
      const next = nextDifference(comparison, selected, key === 'n' ? 'next' : 'previous')
      if (next !== undefined) onSelect(next)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [comparison, selected, onSelect])
}

/** Returns true for an element in which letters are typed, and for a dialog. */
function isEditable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [role=dialog]') !== null
}

function CompareActions({
  comparison,
  selected,
  onSelect,
  onlyDifferences,
  onFilter,
  onSwap,
}: {
  readonly comparison: AlignedRuns
  readonly selected: number
  readonly onSelect: (index: number) => void
  readonly onlyDifferences: boolean
  readonly onFilter: (onlyDifferences: boolean) => void
  readonly onSwap: () => void
}): ReactElement {
  const { counts } = comparison
  const differing = counts.changed + counts.left + counts.right
  const previous = nextDifference(comparison, selected, 'previous')
  const next = nextDifference(comparison, selected, 'next')
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-small text-muted tabular" role="status">
        {differing === 1 ? '1 row differs' : `${differing} rows differ`}
      </span>
      <IconButton
        label="Previous difference (p)"
        className="max-sm:size-11"
        disabled={previous === undefined}
        onClick={() => previous !== undefined && onSelect(previous)}
      >
        <ArrowUp aria-hidden="true" className="size-4" />
      </IconButton>
      <IconButton
        label="Next difference (n)"
        className="max-sm:size-11"
        disabled={next === undefined}
        onClick={() => next !== undefined && onSelect(next)}
      >
        <ArrowDown aria-hidden="true" className="size-4" />
      </IconButton>
      <Button
        className="max-sm:h-11"
        tone={onlyDifferences ? 'solid' : 'outline'}
        aria-pressed={onlyDifferences}
        onClick={() => onFilter(!onlyDifferences)}
      >
        Only differences
      </Button>
      <IconButton label="Swap the sides" className="max-sm:size-11" onClick={onSwap}>
        <ArrowLeftRight aria-hidden="true" className="size-4" />
      </IconButton>
    </div>
  )
}

interface SideHeadProps {
  readonly name: 'Left' | 'Right'
  readonly runId: string
  readonly viewState: RunViewState
  readonly link: FeedLink
}

/** Shows which run is on a side. */
function SideHead({ name, runId, viewState, link }: SideHeadProps): ReactElement {
  const root = rootOf(viewState)
  return (
    <div className={name === 'Left' ? 'min-w-0 px-4 py-2' : 'min-w-0 px-4 py-2 max-sm:pt-0 sm:col-start-3'}>
      {root === undefined ? (
        <MissingRun name={name} runId={runId} link={link} />
      ) : (
        <p className="flex min-w-0 flex-wrap items-center gap-x-2.5 text-small">
          <span className="text-tiny font-semibold text-muted uppercase">{name}</span>
          <span className="truncate font-medium">{root.agent}</span>
          <RunAddress runId={runId} />
          <StateBadge state={runState(root, viewState)} />
          <span className="text-muted tabular">{clockTime(root.startedAt, Date.now())}</span>
        </p>
      )}
    </div>
  )
}

function RunAddress({ runId: id }: { readonly runId: string }): ReactElement {
  const ref = parseEvalRunId(id)
  const { runId } = ref ?? { runId: id }
  return (
    <a
      href={hrefOf(
        ref === undefined ? { page: 'run', runId } : { page: 'eval-run', id: ref.reportId, runId },
      )}
      className="font-mono text-tiny text-accent underline underline-offset-2"
    >
      {runId.slice(0, 12)}
    </a>
  )
}

function MissingRun({ name, runId, link }: Omit<SideHeadProps, 'viewState'>): ReactElement {
  if (link === 'unknown')
    return (
      <Notice tone="bad">
        The server has no run {runId}. Choose two runs in the <a href="#/runs">list of runs</a>.
      </Notice>
    )
  return (
    <p role="status" className="breathing text-small text-muted">
      {name}: loading {runId.slice(0, 12)} …
    </p>
  )
}

/** Shows the totals of both runs, and which prompts differ. */
function Totals({
  row,
  left,
  right,
}: {
  readonly row: AlignedRow | undefined
  readonly left: string
  readonly right: string
}): ReactElement {
  // The prompts of runs of evaluations are not saved.
  const hasPrompts = [left, right].every((id) => parseEvalRunId(id) === undefined)
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-5 gap-y-1 border-b border-line px-4 py-2 sm:px-6">
      {row === undefined ? null : <MeasureList row={row} />}
      {hasPrompts ? (
        <div className="flex min-h-8 items-center max-lg:w-full">
          <PromptDifferences left={left} right={right} />
        </div>
      ) : null}
    </div>
  )
}
