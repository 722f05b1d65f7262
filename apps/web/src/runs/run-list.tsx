import type { RunSummary } from '@troupe/client'
import { formatCost, formatDuration } from '@troupe/timeline'
import { ArrowUp } from 'lucide-react'
import {
  Fragment,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactElement,
  type ReactNode,
} from 'react'
import { isOpenRun } from '../api/queries.ts'
import { useNow } from '../feed/use-run.ts'
import { goTo, hrefOf } from '../route/route.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { timeOfDay } from '../ui/format.ts'
import { offsetsOf, rowsInSight, type RowRange } from '../ui/row-window.ts'
import { StateBadge } from '../ui/state-badge.tsx'
import { useMedia } from '../ui/use-media.ts'
import type { CompareSelection } from './compare-selection.tsx'
import { toRunRows, type RunRow } from './run-rows.ts'

/** Heights of the rows in px, which have to match their classes. */
const WIDE = { day: 36, run: 40 }
const NARROW = { day: 36, run: 84 }
/** Screens that are wide enough for a row with columns. */
const WIDE_SCREEN = '(min-width: 48rem)'
/** Distance from the end in px at which older runs are loaded. */
const NEAR_END = 800
const NO_ROWS: RowRange = { start: 0, end: 0 }

/**
 * Lists runs in a table of which only the rows in sight are drawn. Each row links to the timeline of its run. While the
 * list is scrolled down, runs that start are counted above it and do not move it.
 */
export function RunList({
  runs,
  waiting,
  selection,
  onNearEnd,
  before,
  after,
}: {
  readonly runs: readonly RunSummary[]
  /** Ids of the runs that wait for the user of the page. */
  readonly waiting: ReadonlySet<string>
  readonly selection: CompareSelection
  /** Called when the end of the list is almost in sight. */
  readonly onNearEnd: () => void
  readonly before: ReactNode
  readonly after: ReactNode
}): ReactElement {
  const scroller = useRef<HTMLDivElement>(null)
  const table = useRef<HTMLTableElement>(null)
  const [range, setRange] = useState(NO_ROWS)
  /** The first run of the list when it was scrolled down. */
  const [anchor, setAnchor] = useState<string>()
  const [focused, setFocused] = useState<string>()
  const heights = useMedia(WIDE_SCREEN) ? WIDE : NARROW
  const held =
    anchor === undefined
      ? 0
      : Math.max(
          0,
          runs.findIndex(({ runId }) => runId === anchor),
        )
  const rows = useMemo(() => toRunRows(runs.slice(held), Date.now()), [runs, held])
  const offsets = useMemo(() => offsetsOf(rows.map(({ kind }) => heights[kind])), [rows, heights])

  const measure = (): void => {
    const { current: view } = scroller
    if (view === null) return
    const { scrollTop, clientHeight, scrollHeight } = view
    setAnchor((known) => (scrollTop < heights.run ? undefined : (known ?? runs[0]?.runId)))
    const next = rowsInSight(offsets, {
      top: scrollTop - (table.current?.offsetTop ?? 0),
      height: clientHeight,
    })
    setRange((known) => (known.start === next.start && known.end === next.end ? known : next))
    if (scrollTop + clientHeight > scrollHeight - NEAR_END && scrollTop > 0) onNearEnd()
  }
  const latest = useRef(measure)
  latest.current = measure
  useLayoutEffect(() => latest.current(), [offsets])
  useLayoutEffect(() => {
    if (scroller.current === null) return undefined
    const observer = new ResizeObserver(() => latest.current())
    observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [])

  return (
    <div
      ref={scroller}
      onScroll={measure}
      className="relative min-h-0 grow overflow-auto [overflow-anchor:none]"
    >
      {held === 0 ? null : (
        <div className="sticky top-2 z-20 flex h-0 justify-center">
          <Button
            className="shadow-md"
            onClick={() => {
              setAnchor(undefined)
              scroller.current?.scrollTo({ top: 0 })
            }}
          >
            <ArrowUp aria-hidden="true" className="size-3.5" />
            {held === 1 ? '1 new run' : `${held} new runs`}
          </Button>
        </div>
      )}
      {before}
      {rows.length === 0 ? null : (
        <table
          ref={table}
          aria-rowcount={rows.length + 1}
          className="w-full table-fixed text-left text-small"
          onFocus={({ target }) => setFocused(target.closest('tr')?.dataset['row'])}
          onBlur={() => setFocused(undefined)}
        >
          <thead className="sticky top-0 z-10 bg-page text-tiny text-muted max-md:sr-only">
            <tr className="border-b border-line" aria-rowindex={1}>
              <th className="w-36 py-2 pl-6 font-medium">State</th>
              <th className="w-30 py-2 pr-3 font-medium lg:w-48">Agent</th>
              <th className="py-2 pr-3 font-medium">Input</th>
              <th className="w-24 py-2 pr-3 text-right font-medium lg:w-28">Started</th>
              <th className="w-20 py-2 pr-3 text-right font-medium lg:w-24">Time</th>
              <th className="w-24 py-2 pr-6 text-right font-medium max-lg:w-0 max-lg:pr-0">
                <span className="max-lg:sr-only">Cost</span>
              </th>
            </tr>
          </thead>
          <tbody className="max-md:block">
            <DrawnRows
              rows={rows}
              offsets={offsets}
              range={range}
              focused={focused}
              waiting={waiting}
              selection={selection}
            />
          </tbody>
        </table>
      )}
      {after}
    </div>
  )
}

/** Draws the rows of a range and the one with the focus, with empty space in place of the others. */
function DrawnRows({
  rows,
  offsets,
  range,
  focused,
  waiting,
  selection,
}: {
  readonly rows: readonly RunRow[]
  readonly offsets: Float64Array
  readonly range: RowRange
  readonly focused: string | undefined
  readonly waiting: ReadonlySet<string>
  readonly selection: CompareSelection
}): ReactElement {
  const indexes = new Set(Array.from({ length: range.end - range.start }, (_, index) => range.start + index))
  const kept = focused === undefined ? -1 : rows.findIndex(({ key }) => key === focused)
  if (kept >= 0) indexes.add(kept)
  const drawn: ReactElement[] = []
  let end = 0
  for (const index of [...indexes].toSorted((a, b) => a - b)) {
    const row = rows[index]
    if (row === undefined) continue
    drawn.push(
      <Fragment key={row.key}>
        <Space height={(offsets[index] ?? 0) - (offsets[end] ?? 0)} />
        {row.kind === 'day' ? (
          <DayRow day={row.day} index={index + 2} />
        ) : (
          <RunListRow
            run={row.run}
            index={index + 2}
            isWaiting={waiting.has(row.run.runId)}
            selection={selection}
          />
        )}
      </Fragment>,
    )
    end = index + 1
  }
  return (
    <>
      {drawn}
      <Space height={(offsets[rows.length] ?? 0) - (offsets[end] ?? 0)} />
    </>
  )
}

/** Takes the place of rows that are not drawn. */
function Space({ height }: { readonly height: number }): ReactElement | null {
  if (height <= 0) return null
  return (
    <tr aria-hidden="true" className="max-md:block" style={{ height }}>
      <td colSpan={6} className="p-0" />
    </tr>
  )
}

function DayRow({ day, index }: { readonly day: string; readonly index: number }): ReactElement {
  return (
    <tr aria-rowindex={index} className="h-9 border-b border-line/60 max-md:block">
      <th
        colSpan={6}
        scope="rowgroup"
        className="pt-2 pl-6 text-left align-middle text-tiny font-semibold text-muted max-md:flex max-md:h-9 max-md:items-center max-md:px-4"
      >
        {day}
      </th>
    </tr>
  )
}

function RunListRow({
  run,
  index,
  isWaiting,
  selection,
}: {
  readonly run: RunSummary
  readonly index: number
  /** True if the run waits for the user of the page. */
  readonly isWaiting: boolean
  readonly selection: CompareSelection
}): ReactElement {
  return (
    <tr
      data-row={run.runId}
      aria-rowindex={index}
      onClick={() => (selection.isOn ? selection.toggle(run.runId) : goTo({ page: 'run', runId: run.runId }))}
      className={classNames(
        'h-10 cursor-pointer border-b border-line/60 hover:bg-raised/70 max-md:grid max-md:h-[84px] max-md:grid-cols-[1fr_auto] max-md:content-center max-md:gap-x-3 max-md:px-4',
        isWaiting && 'bg-warn/8',
      )}
    >
      <td className="pl-6 max-md:order-2 max-md:p-0">
        <span className="flex items-center gap-2">
          {selection.isOn ? (
            <input
              type="checkbox"
              aria-label={`Compare ${run.runId}`}
              className="size-4 accent-accent"
              checked={selection.runIds.includes(run.runId)}
              onClick={(event) => event.stopPropagation()}
              onChange={() => selection.toggle(run.runId)}
            />
          ) : null}
          <StateBadge state={isWaiting && isOpenRun(run) ? 'waiting' : run.state} isForYou={isWaiting} />
        </span>
      </td>
      <td className="truncate pr-3 font-medium max-md:order-1 max-md:p-0">
        <a href={hrefOf({ page: 'run', runId: run.runId })} className="rounded-sm hover:text-accent">
          {run.agent}
        </a>
      </td>
      <td dir="auto" className="truncate pr-3 text-muted max-md:order-3 max-md:col-span-2 max-md:p-0">
        {run.input === '' ? '–' : run.input.slice(0, MAX_INPUT)}
      </td>
      <td className="pr-3 text-right text-muted tabular max-md:order-4 max-md:p-0 max-md:text-left">
        <time
          dateTime={new Date(run.startedAt).toISOString()}
          title={new Date(run.startedAt).toLocaleString()}
        >
          {timeOfDay(run.startedAt)}
        </time>
      </td>
      <td className="pr-3 text-right tabular max-md:order-5 max-md:p-0">
        <RunTime run={run} />
      </td>
      <td className="pr-6 text-right text-muted tabular max-lg:pr-0 max-md:hidden">
        <span className="max-lg:hidden">
          {run.cost === undefined ? '' : run.cost === null ? '–' : formatCost(run.cost)}
        </span>
      </td>
    </tr>
  )
}

/** Number of characters of an input that fit into a row of any screen. */
const MAX_INPUT = 400

/** Shows how long a run took, or has taken so far. */
function RunTime({ run: { state, durationMs, startedAt } }: { readonly run: RunSummary }): ReactElement {
  const now = useNow(state === 'running')
  return <>{formatDuration(durationMs ?? Math.max(0, now - startedAt))}</>
}
