import {
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
} from 'react'
import type { RunViewState } from '../reducers/run-view-state.ts'
import { Axis, ticksOf, WaterfallLine } from './waterfall-row.tsx'
import { waterfallRows, type WaterfallRow } from './waterfall.ts'

/**
 * Shows the run tree over time. Keys: up and down move between rows, right expands or enters, left collapses
 * or leaves, Home and End go to the first and last row.
 */
export function WaterfallView({
  viewState,
  now,
  until,
  selected,
  onSelect,
}: {
  readonly viewState: RunViewState
  readonly now: number
  /** The end of the axis, in ms since 1970. Default: the end of the last row. */
  readonly until?: number
  /** The key of the selected row. */
  readonly selected: string | undefined
  readonly onSelect: (key: string) => void
}): ReactElement {
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set())
  const tree = useRef<HTMLDivElement>(null)
  const rows = waterfallRows(viewState, { collapsed, now })
  const extent = extentOf(rows, until)
  const durationMs = extent.to - extent.from
  const axis = useRef<HTMLDivElement>(null)
  const width = useWidth(axis)
  const ticks = ticksOf(durationMs, width)
  const current = Math.max(
    0,
    rows.findIndex(({ key }) => key === selected),
  )
  const toggle = (key: string): void =>
    setCollapsed(
      collapsed.has(key)
        ? new Set([...collapsed].filter((collapsedKey) => collapsedKey !== key))
        : new Set([...collapsed, key]),
    )
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = stepOf(event.key, { rows, current })
    if (step === undefined) return
    event.preventDefault()
    if (step.toggle !== undefined) toggle(step.toggle)
    if (step.select === undefined) return
    onSelect(step.select)
    tree.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(step.select)}"]`)?.focus()
  }
  return (
    <div className="@container min-w-0">
      <div className="hidden border-b border-line text-tiny text-muted @2xl:grid @2xl:grid-cols-[minmax(14rem,22rem)_6.5rem_4.5rem_minmax(0,1fr)]">
        <span className="self-end pb-1.5 pl-7">Agent or tool</span>
        <span className="self-end pr-3 pb-1.5 text-right">Tokens</span>
        <span className="self-end pr-3 pb-1.5 text-right">Cost</span>
        <div ref={axis} className="mr-4">
          <Axis ticks={ticks} durationMs={durationMs} width={width} />
        </div>
      </div>
      <div ref={tree} role="tree" aria-label="Runs and calls" tabIndex={-1} onKeyDown={onKeyDown}>
        {rows.map((row, index) => (
          <div
            key={row.key}
            role="treeitem"
            data-key={row.key}
            aria-level={row.level}
            aria-selected={row.key === selected}
            {...(row.kind === 'run' && row.hasRows ? { 'aria-expanded': row.isOpen } : {})}
            tabIndex={index === current ? 0 : -1}
            onClick={() => onSelect(row.key)}
            className="cursor-default -outline-offset-2"
          >
            <WaterfallLine
              row={row}
              extent={extent}
              ticks={ticks}
              isSelected={row.key === selected}
              onToggle={() => toggle(row.key)}
            />
          </div>
        ))}
      </div>
    </div>
  )
}

/** Returns the width of an element in px; `undefined` if it is not shown. */
function useWidth(element: RefObject<HTMLElement | null>): number | undefined {
  const [width, setWidth] = useState<number>()
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const measure = (): void => setWidth(current.clientWidth === 0 ? undefined : current.clientWidth)
    measure()
    const resizes = new ResizeObserver(measure)
    resizes.observe(current)
    return () => resizes.disconnect()
  }, [element])
  return width
}

function extentOf(
  rows: readonly WaterfallRow[],
  until: number | undefined,
): { readonly from: number; readonly to: number } {
  const from = Math.min(...rows.map((row) => row.from))
  const to = until ?? Math.max(...rows.map((row) => row.to))
  return Number.isFinite(from) ? { from, to: Math.max(to, from + 1) } : { from: 0, to: 1 }
}

/** Returns the effect of a key press in the tree; `undefined` if it has none. */
function stepOf(
  key: string,
  { rows, current }: { readonly rows: readonly WaterfallRow[]; readonly current: number },
): { readonly select?: string | undefined; readonly toggle?: string } | undefined {
  const row = rows[current]
  if (row === undefined) return undefined
  const at = (index: number) => ({ select: rows[index]?.key })
  switch (key) {
    case 'ArrowDown':
      return at(Math.min(current + 1, rows.length - 1))
    case 'ArrowUp':
      return at(Math.max(current - 1, 0))
    case 'Home':
      return at(0)
    case 'End':
      return at(rows.length - 1)
    case 'Enter':
    case ' ':
      return at(current)
    case 'ArrowRight':
      if (row.kind !== 'run' || !row.hasRows) return undefined
      return row.isOpen ? at(current + 1) : { toggle: row.key }
    case 'ArrowLeft':
      if (row.kind === 'run' && row.hasRows && row.isOpen) return { toggle: row.key }
      return at(rows.findLastIndex(({ level }, index) => index < current && level < row.level))
    default:
      return undefined
  }
}
