import { formatDuration, type CallView } from '@troupe/timeline'
import { Bot, ChevronRight, Wrench } from 'lucide-react'
import type { ReactElement } from 'react'
import { classNames } from '../ui/class-names.ts'
import { costText, tokensText } from '../ui/format.ts'
import { StateBadge } from '../ui/state-badge.tsx'
import type { Segment, SegmentKind, SegmentTone, WaterfallRow } from './waterfall.ts'

/** The period that the time axis covers, in ms since 1970. */
interface Extent {
  readonly from: number
  readonly to: number
}

const SEGMENT_CLASSES: Readonly<Record<SegmentKind, string>> = {
  run: 'inset-y-[7px] bg-accent/20',
  model: 'inset-y-[7px] bg-accent',
  tool: 'inset-y-[9px] bg-muted/70',
  queue: 'top-1/2 h-px bg-strong-line',
  wait: 'inset-y-[7px] bg-warn/70',
}

const TONE_CLASSES: Readonly<Record<SegmentTone, Readonly<Partial<Record<SegmentKind, string>>>>> = {
  failed: {
    run: 'inset-y-[7px] bg-bad/25',
    model: 'inset-y-[7px] bg-bad',
    tool: 'inset-y-[9px] bg-bad',
  },
  cancelled: {
    run: 'inset-y-[7px] bg-muted/20',
    model: 'inset-y-[7px] bg-muted/70',
  },
}

/** Shows a row of the waterfall: its name, usage and time. */
export function WaterfallLine({
  row,
  extent,
  ticks,
  isSelected,
  onToggle,
}: {
  readonly row: WaterfallRow
  readonly extent: Extent
  /** The ticks of the axis, in ms from its start. */
  readonly ticks: readonly number[]
  readonly isSelected: boolean
  readonly onToggle: () => void
}): ReactElement {
  return (
    <div
      className={classNames(
        'grid grid-cols-[minmax(0,1fr)_auto] border-b border-line/60 @2xl:grid-cols-[minmax(14rem,22rem)_6.5rem_4.5rem_minmax(0,1fr)]',
        isSelected ? 'bg-accent-wash' : 'hover:bg-raised/70',
      )}
    >
      <div
        className="flex h-8 min-w-0 items-center gap-1.5 pr-2"
        style={{ paddingLeft: `${0.5 + (row.level - 1) * 1.125}rem` }}
      >
        <ExpandButton row={row} onToggle={onToggle} />
        {row.kind === 'run' ? (
          <Bot aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
        ) : (
          <Wrench aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
        )}
        <span
          className={classNames(
            'truncate text-small',
            row.kind === 'run' ? 'font-medium' : 'font-mono text-muted',
          )}
        >
          {row.kind === 'run' ? row.run.instance : row.label}
        </span>
        <StateBadge compact state={row.state} />
      </div>
      <div className="hidden items-center justify-end pr-3 text-tiny text-muted tabular @2xl:flex">
        {row.kind === 'run' ? tokensText(row.usage) : sizeText(row.call)}
      </div>
      <div className="hidden items-center justify-end pr-3 text-tiny text-muted tabular @2xl:flex">
        {row.kind === 'run' ? costText(row.usage) : ''}
      </div>
      <div className="flex items-center justify-end pr-3 text-tiny text-muted tabular @2xl:hidden">
        {formatDuration(row.to - row.from)}
      </div>
      <div className="relative col-span-2 mx-3 mb-1 h-6 min-w-0 @2xl:col-span-1 @2xl:m-0 @2xl:mr-4 @2xl:h-auto">
        <GridLines ticks={ticks} durationMs={extent.to - extent.from} />
        <SegmentBar segments={row.segments} extent={extent} />
        <Duration row={row} extent={extent} />
      </div>
    </div>
  )
}

function ExpandButton({
  row,
  onToggle,
}: {
  readonly row: WaterfallRow
  readonly onToggle: () => void
}): ReactElement {
  if (row.kind === 'call' || !row.hasRows) return <span className="w-4 shrink-0" />
  return (
    <span
      aria-hidden="true"
      onClick={(event) => {
        event.stopPropagation()
        onToggle()
      }}
      className="grid size-4 shrink-0 place-items-center rounded-sm text-muted hover:text-ink"
    >
      <ChevronRight className={classNames('size-3.5 transition-transform', row.isOpen && 'rotate-90')} />
    </span>
  )
}

/** Shows the duration of a row after its bar, or before the bar if there is not enough space. */
function Duration({ row, extent }: { readonly row: WaterfallRow; readonly extent: Extent }): ReactElement {
  const fullMs = Math.max(1, extent.to - extent.from)
  const end = (100 * (row.to - extent.from)) / fullMs
  const start = (100 * (row.from - extent.from)) / fullMs
  const offset = end < 88 ? { left: `${end}%` } : start > 12 ? { right: `${100 - start}%` } : undefined
  if (offset === undefined) return <span className="sr-only">{formatDuration(row.to - row.from)}</span>
  return (
    <span
      className="absolute top-1/2 hidden -translate-y-1/2 px-1.5 text-tiny whitespace-nowrap text-muted tabular @2xl:inline"
      style={offset}
    >
      {formatDuration(row.to - row.from)}
    </span>
  )
}

function sizeText({ attempts }: CallView): string {
  return attempts > 1 ? `${attempts} attempts` : ''
}

/**
 * Draws the segments of one row on the time axis. Hidden from screen readers, as the same facts are available
 * as text.
 */
function SegmentBar({
  segments,
  extent,
}: {
  readonly segments: readonly Segment[]
  readonly extent: Extent
}): ReactElement {
  const fullMs = Math.max(1, extent.to - extent.from)
  return (
    <div aria-hidden="true" className="absolute inset-0">
      {segments.map(({ kind, from, to, tone }, index) => (
        <span
          key={index}
          className={classNames(
            'absolute min-w-[2px] rounded-[3px]',
            (tone === undefined ? undefined : TONE_CLASSES[tone][kind]) ?? SEGMENT_CLASSES[kind],
          )}
          style={{
            left: `${(100 * (from - extent.from)) / fullMs}%`,
            width: `${(100 * Math.max(0, to - from)) / fullMs}%`,
          }}
        />
      ))}
    </div>
  )
}

const STEPS = [1, 2, 5]
const MAX_STEPS = 6
/** Space after the axis that a label may use, in px. */
const MARGIN_PX = 16

/** Shows the labels of the ticks, except at the end of the axis, where they would not fit. */
export function Axis({
  ticks,
  durationMs,
  width = Infinity,
}: {
  readonly ticks: readonly number[]
  readonly durationMs: number
  /** In px. */
  readonly width?: number | undefined
}): ReactElement {
  const lastLabel = durationMs * Math.min(0.85, 1 - (labelWidth(durationMs) - MARGIN_PX) / width)
  return (
    <div aria-hidden="true" className="relative h-7">
      {ticks.map((tick) => (
        <span
          key={tick}
          className="absolute bottom-1.5 pl-1 text-tiny whitespace-nowrap text-muted tabular"
          style={{ left: `${(100 * tick) / Math.max(1, durationMs)}%` }}
        >
          {tick === 0 || tick <= lastLabel ? formatDuration(tick) : ''}
        </span>
      ))}
    </div>
  )
}

/**
 * Returns the ticks of a time axis, in ms from its start: about six, at round times. Fewer if their labels need
 * more than the `width` in px.
 */
export function ticksOf(durationMs: number, width = Infinity): readonly number[] {
  const steps = Math.max(1, Math.min(MAX_STEPS, Math.floor(width / labelWidth(durationMs))))
  const step = roundStep(durationMs / steps)
  const ticks: number[] = []
  for (let at = 0; at <= durationMs; at += step) ticks.push(at)
  return ticks
}

/** Returns the space in px that labels such as `500 ms` need, or such as `1 m 30 s` from a minute on. */
function labelWidth(durationMs: number): number {
  return durationMs < 60_000 ? 44 : 60
}

function roundStep(rough: number): number {
  let scale = 1
  while (10 * scale < rough) scale *= 10
  return (STEPS.find((step) => step * scale >= rough) ?? 10) * scale
}

/** Draws thin lines at the ticks of the axis, behind the bars of one row. */
function GridLines({
  ticks,
  durationMs,
}: {
  readonly ticks: readonly number[]
  readonly durationMs: number
}): ReactElement {
  return (
    <>
      {ticks.map((tick) => (
        <span
          key={tick}
          aria-hidden="true"
          className="absolute inset-y-0 w-px bg-line/70"
          style={{ left: `${(100 * tick) / Math.max(1, durationMs)}%` }}
        />
      ))}
    </>
  )
}
