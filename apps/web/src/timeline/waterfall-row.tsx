import { Bot, ChevronRight, Layers, Wrench } from 'lucide-react'
import { memo, type MemoExoticComponent, type ReactElement } from 'react'
import type { DisplayState } from '../reducers/run-view-state.ts'
import { classNames } from '../ui/class-names.ts'
import { StateBadge } from '../ui/state-badge.tsx'
import type { PathPiece } from '../waterfall/critical-path.ts'
import type { Segment } from '../waterfall/segment.ts'
import type { TimeScale } from '../waterfall/time-scale.ts'
import { FoldMarks } from './axis.tsx'
import { Bar, BarLabel, DurationText } from './bar.tsx'
import type { TimelineClock } from './clock.ts'

/** The columns of the timeline, in px. */
export interface RowLayout {
  readonly rowHeight: number
  /** True if the bar is below the name. */
  readonly isNarrow: boolean
  readonly hasTokens: boolean
  readonly nameWidth: number
  /** Distance from the left edge to the bars. */
  readonly barStart: number
  readonly barWidth: number
}

/** Props of a row: values that stay the same while the row does. */
interface WaterfallRowProps {
  readonly rowKey: string
  readonly kind: 'run' | 'call' | 'group'
  readonly isAgent: boolean
  readonly index: number
  readonly level: number
  readonly setSize: number
  readonly position: number
  /** `undefined` if no rows are below it. */
  readonly isOpen: boolean | undefined
  readonly isSelected: boolean
  readonly isHit: boolean
  /** True for the one row that the Tab key leads to. */
  readonly isTabStop: boolean
  readonly label: string
  readonly detail: string
  readonly tokens: string
  readonly cost: string
  readonly state: DisplayState
  /** True if the row waits for an answer that can be given in the page. */
  readonly isForYou: boolean
  readonly from: number
  readonly to: number | undefined
  readonly segments: readonly Segment[]
  readonly path: readonly PathPiece[] | undefined
  readonly colour: string | undefined
  readonly layout: RowLayout
  readonly scale: TimeScale
  readonly clock: TimelineClock
}

/** Indentation of each level in px. Deeper levels than this many are not indented further. */
const INDENT = 16
const MAX_INDENTED = 10

/** Shows a row of the timeline: its name, input, usage and time. */
export const WaterfallRow: MemoExoticComponent<(props: WaterfallRowProps) => ReactElement> = memo(
  function WaterfallRow(props: WaterfallRowProps): ReactElement {
    const { rowKey, index, isOpen, isSelected, isHit, layout, from, to, scale, clock } = props
    const { rowHeight, isNarrow, barStart, barWidth } = layout
    return (
      <div
        role="treeitem"
        data-key={rowKey}
        aria-level={props.level}
        aria-setsize={props.setSize}
        aria-posinset={props.position}
        aria-selected={isSelected}
        {...(isOpen === undefined ? {} : { 'aria-expanded': isOpen })}
        tabIndex={props.isTabStop ? 0 : -1}
        className={classNames(
          'absolute inset-x-0 flex cursor-default border-b border-line/60 -outline-offset-2 [contain:layout_style]',
          isSelected ? 'bg-accent-wash' : isHit ? 'bg-warn-wash' : 'hover:bg-raised/70',
        )}
        style={{ height: rowHeight, top: index * rowHeight }}
      >
        <NameCell {...props} />
        {layout.hasTokens ? (
          <span className="w-24 shrink-0 self-center pr-3 whitespace-nowrap text-right text-tiny text-muted tabular">
            {props.tokens}
          </span>
        ) : null}
        {isNarrow ? null : (
          <span className="w-18 shrink-0 self-center pr-3 whitespace-nowrap text-right text-tiny text-muted tabular">
            {props.cost}
          </span>
        )}
        <div
          className="absolute bottom-0"
          style={{ left: barStart, width: barWidth, height: isNarrow ? 18 : rowHeight - 1 }}
        >
          <Bar
            segments={props.segments}
            scale={scale}
            clock={clock}
            colour={props.colour}
            path={props.path}
          />
          {isNarrow ? (
            <FoldMarks scale={scale} />
          ) : (
            <BarLabel from={from} to={to} scale={scale} clock={clock} />
          )}
        </div>
      </div>
    )
  },
)

function NameCell({
  kind,
  isAgent,
  level,
  isOpen,
  label,
  detail,
  state,
  isForYou,
  colour,
  layout,
  from,
  to,
  clock,
  path,
}: WaterfallRowProps): ReactElement {
  const { rowHeight, isNarrow, nameWidth } = layout
  const Icon = kind === 'group' ? Layers : isAgent ? Bot : Wrench
  const indent = INDENT * (Math.min(level, MAX_INDENTED) - 1)
  const start = isNarrow ? 8 : 6
  return (
    <div
      className="relative flex min-w-0 shrink-0 items-center gap-1.5 pr-2"
      style={{
        width: nameWidth,
        height: isNarrow ? rowHeight - 17 : rowHeight - 1,
        paddingLeft: start + indent,
      }}
    >
      {isOpen === undefined ? (
        <span className="w-4 shrink-0" />
      ) : (
        <>
          <ChevronRight
            aria-hidden="true"
            className={classNames('size-4 shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
          />
          <span
            aria-hidden="true"
            data-toggle=""
            className="absolute top-0 left-0 hover:bg-ink/5"
            style={{ width: Math.max(isNarrow ? 44 : 0, start + indent + 18), height: rowHeight }}
          />
        </>
      )}
      <Icon
        aria-hidden="true"
        className="size-3.5 shrink-0 text-muted"
        {...(colour === undefined ? {} : { style: { color: colour } })}
      />
      <span
        className={classNames(
          'max-w-[60%] shrink-0 truncate text-small',
          isAgent ? 'font-medium' : 'font-mono text-[0.75rem]',
        )}
      >
        {label}
      </span>
      <StateBadge compact state={state} isForYou={isForYou} />
      {path === undefined ? null : <span className="sr-only">on the slowest path</span>}
      <bdi className="min-w-0 grow truncate text-tiny text-muted" dir="auto">
        {detail}
      </bdi>
      {isNarrow ? (
        <DurationText
          from={from}
          to={to}
          clock={clock}
          className="shrink-0 pl-1 text-tiny text-muted tabular"
        />
      ) : null}
    </div>
  )
}
