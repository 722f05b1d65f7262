import type { AlignedRow, AlignedRuns, AlignedSide, AlignedState } from '@troupe/timeline'
import { formatDuration } from '@troupe/timeline'
import { Bot, Equal, Diff, Minus, Plus, Wrench, type LucideIcon } from 'lucide-react'
import { memo, useEffect, useId, useRef, useState, type KeyboardEvent, type ReactElement } from 'react'
import { classNames } from '../ui/class-names.ts'
import { sideName, sideSummary, stateText } from './comparison-view.ts'

/** Heights of a row in px, in two columns and in one. */
const ROW_HEIGHT = { wide: 32, narrow: 64 } as const
/** Rows that are rendered above and below the visible ones. */
const OVERSCAN = 12
/** Depth from which rows are not indented further. */
const MAX_INDENT = 10

/** Shows the rows of a comparison, of which only the visible ones are rendered. Arrow keys select a row. */
export function ComparisonList({
  comparison: { rows },
  shown,
  selected,
  onSelect,
  isNarrow,
}: {
  readonly comparison: AlignedRuns
  /** Indexes of the rows to show. */
  readonly shown: readonly number[]
  /** Index of the selected row. */
  readonly selected: number
  readonly onSelect: (index: number) => void
  readonly isNarrow: boolean
}): ReactElement {
  const id = useId()
  const height = isNarrow ? ROW_HEIGHT.narrow : ROW_HEIGHT.wide
  const list = useRef<HTMLDivElement>(null)
  const view = useScrollPosition(list)
  const position = shown.indexOf(selected)
  const first = Math.max(0, Math.floor(view.top / height) - OVERSCAN)
  const last = Math.min(shown.length, Math.ceil((view.top + view.height) / height) + OVERSCAN)
  const visible = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index)
  // The selected row stays rendered, because the list names it as its active row.
  const rendered = position >= 0 && (position < first || position >= last) ? [...visible, position] : visible
  useEffect(() => {
    if (list.current !== null && position >= 0) scrollIntoView(list.current, position * height, height)
  }, [position, height])
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = keyTarget(event.key, position, shown.length)
    const index = next === undefined ? undefined : shown[next]
    if (index === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    onSelect(index)
  }
  return (
    <div
      ref={list}
      role="listbox"
      tabIndex={0}
      aria-label="Compared rows"
      aria-activedescendant={position < 0 ? undefined : `${id}-${selected}`}
      onKeyDown={onKeyDown}
      className="min-h-0 grow overflow-auto outline-offset-[-2px]"
    >
      <div role="presentation" className="relative" style={{ height: shown.length * height }}>
        {rendered.map((at) => {
          const index = shown[at]
          const row = index === undefined ? undefined : rows[index]
          if (row === undefined || index === undefined) return null
          return (
            <ComparisonLine
              key={index}
              id={`${id}-${index}`}
              row={row}
              index={index}
              at={at}
              size={shown.length}
              height={height}
              isSelected={index === selected}
              onSelect={onSelect}
            />
          )
        })}
      </div>
    </div>
  )
}

/** Returns the position that a key selects; `undefined` for other keys. */
function keyTarget(key: string, position: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(count - 1, position + 1)
    case 'ArrowUp':
      return Math.max(0, position - 1)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

function scrollIntoView(list: HTMLElement, top: number, height: number): void {
  if (top < list.scrollTop) list.scrollTop = top
  else if (top + height > list.scrollTop + list.clientHeight)
    list.scrollTop = top + height - list.clientHeight
}

/** Returns the scroll position and the height of an element, in px. */
function useScrollPosition(element: { readonly current: HTMLElement | null }): {
  readonly top: number
  readonly height: number
} {
  const [view, setView] = useState({ top: 0, height: 600 })
  useEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const update = (): void => setView({ top: current.scrollTop, height: current.clientHeight })
    update()
    const observer = new ResizeObserver(update)
    observer.observe(current)
    current.addEventListener('scroll', update, { passive: true })
    return () => {
      observer.disconnect()
      current.removeEventListener('scroll', update)
    }
  }, [element])
  return view
}

const LOOKS: Readonly<Record<AlignedState, readonly [LucideIcon, string]>> = {
  equal: [Equal, 'text-muted'],
  changed: [Diff, 'text-warn'],
  left: [Minus, 'text-bad'],
  right: [Plus, 'text-good'],
}

const ROW_TONES: Readonly<Record<AlignedState, string>> = {
  equal: '',
  changed: 'bg-warn-wash/60',
  left: 'bg-bad-wash/60',
  right: 'bg-good-wash/60',
}

interface ComparisonLineProps {
  readonly id: string
  readonly row: AlignedRow
  readonly index: number
  readonly at: number
  readonly size: number
  readonly height: number
  readonly isSelected: boolean
  readonly onSelect: (index: number) => void
}

/** Shows one row: the left side, the state and the right side. */
const ComparisonLine = memo(function ComparisonLine({
  id,
  row,
  index,
  at,
  size,
  height,
  isSelected,
  onSelect,
}: ComparisonLineProps): ReactElement {
  const { state, depth, left, right } = row
  const [Icon, tone] = LOOKS[state]
  const text = stateText(row)
  return (
    <div
      id={id}
      role="option"
      aria-selected={isSelected}
      aria-setsize={size}
      aria-posinset={at + 1}
      onClick={() => onSelect(index)}
      className={classNames(
        'absolute inset-x-0 grid cursor-pointer border-b border-line/60 contain-strict',
        'grid-cols-[2.25rem_minmax(0,1fr)] grid-rows-2 sm:grid-cols-[minmax(0,1fr)_8.5rem_minmax(0,1fr)] sm:grid-rows-1',
        isSelected ? 'bg-accent-wash' : classNames(ROW_TONES[state], 'hover:bg-raised/70'),
      )}
      style={{ height, transform: `translateY(${at * height}px)` }}
    >
      <SideCell side={left} depth={depth} className="col-start-2 row-start-1 sm:col-start-1" />
      <div
        className={classNames(
          'col-start-1 row-span-2 row-start-1 flex min-w-0 items-center justify-center gap-1.5 text-tiny font-medium sm:col-start-2 sm:row-span-1',
          'border-line/60 max-sm:border-r sm:border-x sm:px-2',
          tone,
        )}
        title={text}
      >
        <Icon aria-hidden="true" className="size-3.5 shrink-0" strokeWidth={2.4} />
        <span className="truncate max-sm:sr-only">{text}</span>
      </div>
      <SideCell
        side={right}
        depth={depth}
        className="col-start-2 row-start-2 sm:col-start-3 sm:row-start-1"
      />
    </div>
  )
})

function SideCell({
  side,
  depth,
  className,
}: {
  readonly side: AlignedSide | undefined
  readonly depth: number
  readonly className: string
}): ReactElement {
  const Icon = side?.run === undefined ? Wrench : Bot
  return (
    <div
      className={classNames('flex min-w-0 items-center gap-1.5 pr-3 text-small', className)}
      style={{ paddingLeft: `${0.75 + Math.min(depth, MAX_INDENT)}rem` }}
    >
      {side === undefined ? (
        <span className="text-muted">–</span>
      ) : (
        <>
          <Icon aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
          <span
            className={classNames(
              'max-w-1/2 shrink-0 truncate',
              side.run === undefined ? 'font-mono' : 'font-medium',
            )}
          >
            {sideName(side)}
          </span>
          <span dir="auto" className="min-w-0 grow truncate text-muted">
            {sideSummary(side)}
          </span>
          {side.durationMs === undefined ? null : (
            <span className="shrink-0 text-tiny text-muted tabular">{formatDuration(side.durationMs)}</span>
          )}
        </>
      )}
    </div>
  )
}
