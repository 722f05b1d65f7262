import { memo, type MemoExoticComponent, type ReactElement, type RefObject } from 'react'
import { useIsForYou } from '../api/answerable.ts'
import { rowText } from '../waterfall/row-text.ts'
import type { TimeScale } from '../waterfall/time-scale.ts'
import { approvalsOf, type TimelineNode } from '../waterfall/timeline-node.ts'
import type { TreePath } from '../waterfall/tree-periods.ts'
import type { VisibleRow } from '../waterfall/visible-rows.ts'
import type { TimelineClock } from './clock.ts'
import { useVisibleRange } from './use-visible-range.ts'
import { WaterfallRow, type RowLayout } from './waterfall-row.tsx'

/** Props of the rows: values that stay the same while the timeline is scrolled. */
interface TreeRowsProps {
  /** The element with the height of all rows. */
  readonly list: RefObject<HTMLElement | null>
  readonly rows: readonly VisibleRow[]
  /** The index of the row that the Tab key leads to. */
  readonly current: number
  /** The key of the selected row. */
  readonly selected: string | undefined
  /** The keys of the rows that the search has found. */
  readonly hits: ReadonlySet<string>
  /** `undefined` if the critical path is not shown. */
  readonly path: TreePath | undefined
  readonly colourOf: (node: TimelineNode) => string | undefined
  readonly layout: RowLayout
  readonly scale: TimeScale
  readonly clock: TimelineClock
}

/** Mounts the rows in view. Scrolling draws nothing else. */
export const TreeRows: MemoExoticComponent<(props: TreeRowsProps) => ReactElement> = memo(function TreeRows({
  list,
  rows,
  current,
  selected,
  hits,
  path,
  colourOf,
  layout,
  scale,
  clock,
}: TreeRowsProps): ReactElement {
  const isForYou = useIsForYou()
  const range = useVisibleRange(list, { count: rows.length, rowHeight: layout.rowHeight })
  return (
    <div role="tree" aria-label="Runs and calls" className="absolute inset-0">
      {mountedRows(rows, range, current).map(([row, index]) => (
        <WaterfallRow
          key={row.node.key}
          {...rowProps(row, path)}
          index={index}
          isForYou={row.node.state === 'waiting' && isForYou(approvalsOf(row.node))}
          isSelected={row.node.key === selected}
          isHit={hits.has(row.node.key)}
          isTabStop={index === current}
          colour={colourOf(row.node)}
          layout={layout}
          scale={scale}
          clock={clock}
        />
      ))}
    </div>
  )
})

/** Returns the rows in view with their indexes. The current row stays mounted, so that it keeps the focus. */
function mountedRows(
  rows: readonly VisibleRow[],
  { first, end }: { readonly first: number; readonly end: number },
  current: number,
): readonly (readonly [row: VisibleRow, index: number])[] {
  const mounted = rows.slice(first, end).map((row, offset) => [row, first + offset] as const)
  const kept = rows[current]
  if (kept === undefined || (current >= first && current < end)) return mounted
  return current < first ? [[kept, current], ...mounted] : [...mounted, [kept, current]]
}

function rowProps({ node, level, setSize, position, isOpen }: VisibleRow, path: TreePath | undefined) {
  const { key, kind, state, from, to, segments } = node
  return {
    rowKey: key,
    kind,
    isAgent: kind === 'run' || (kind === 'group' ? node.isAgent : node.call.source === 'agent'),
    level,
    setSize,
    position,
    isOpen,
    ...rowText(node),
    state,
    from,
    to,
    segments,
    path: (isOpen === false ? path?.below : path?.own)?.get(key),
  }
}
