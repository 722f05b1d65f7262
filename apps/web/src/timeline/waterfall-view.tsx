import {
  lazy,
  memo,
  Suspense,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MemoExoticComponent,
  type MouseEvent,
  type ReactElement,
} from 'react'
import type { RunViewState } from '../reducers/run-view-state.ts'
import { useMedia } from '../ui/use-media.ts'
import { barColours, type ColourMode } from '../waterfall/bar-colours.ts'
import { searchRows } from '../waterfall/search.ts'
import type { WaterfallTree } from '../waterfall/timeline-node.ts'
import { timelineTree } from '../waterfall/timeline-tree.ts'
import { pathOfTree } from '../waterfall/tree-periods.ts'
import type { VisibleRow } from '../waterfall/visible-rows.ts'
import { Axis, Grid } from './axis.tsx'
import { liveClock, type TimelineClock } from './clock.ts'
import { Minimap } from './minimap.tsx'
import { useTimelineKeys, type TimelineActions } from './timeline-actions.ts'
import { TimelineToolbar } from './timeline-toolbar.tsx'
import { TreeRows } from './tree-rows.tsx'
import { useTimeAxis, useZoomGestures, type TimeAxis } from './use-time-axis.ts'
import { useTimelineRows, useToggledRows, type ToggledRows } from './use-timeline-rows.ts'
import { useElementWidth } from './use-visible-range.ts'
import type { RowLayout } from './waterfall-row.tsx'

const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.tsx')).KeysDialog }))

/** Props of a timeline, other than its runs. */
interface TimelineProps {
  /** The key of the selected row. */
  readonly selected: string | undefined
  readonly onSelect: (key: string) => void
  /** Called when a person clicks a row or presses Enter on it, to show its details. */
  readonly onOpen?: (key: string) => void
  /** Default: the time of the browser. */
  readonly clock?: TimelineClock
  /** The end of the axis, in ms since 1970. Default: the end of the last row. */
  readonly until?: number | undefined
  /** True to show the toolbar and the minimap, and to use the keys wherever the focus is on the page. */
  readonly hasTools?: boolean
}

/**
 * Shows the run tree over time. Only the rows in view are mounted. Arrow keys move between rows, and the keys
 * of {@link TimelineActions} search and zoom.
 */
export function WaterfallView({
  viewState,
  toggled,
  ...props
}: TimelineProps & {
  readonly viewState: RunViewState
  /** Default: the timeline keeps which rows are open as long as it is shown. */
  readonly toggled?: ToggledRows
}): ReactElement {
  const own = useToggledRows()
  const [keys, setKeys] = toggled ?? own
  return <TreeView tree={timelineTree(viewState)} keys={keys} setKeys={setKeys} {...props} />
}

/** Draws the tree. It is drawn again only if a row has changed, and not for each word that is written. */
const TreeView: MemoExoticComponent<
  (
    props: TimelineProps & {
      readonly tree: WaterfallTree
      readonly keys: ToggledRows[0]
      readonly setKeys: ToggledRows[1]
    },
  ) => ReactElement
> = memo(function TreeView({
  tree,
  keys,
  setKeys,
  selected,
  onSelect,
  onOpen,
  clock = liveClock,
  until,
  hasTools = false,
}): ReactElement {
  const section = useRef<HTMLElement>(null)
  const head = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const rows = useTimelineRows(tree, [keys, setKeys])
  const layout = useLayout(useElementWidth(section))
  const axis = useTimeAxis(tree, { width: layout.barWidth, clock, until })
  const [isPathShown, setPathShown] = useState(false)
  const path = useMemo(
    () => (isPathShown ? pathOfTree(tree, axis.end) : undefined),
    [isPathShown, tree, axis.end],
  )
  const [colour, setColour] = useState<ColourMode>('kind')
  const colourOf = useMemo(() => barColours(tree, colour), [tree, colour])
  const [areKeysShown, setKeysShown] = useState(false)
  const current = Math.max(
    0,
    rows.rows.findIndex(({ node }) => node.key === selected),
  )
  useZoomGestures(body, axis, layout.barStart)

  // Rows that were just revealed are only there after the next render.
  const target = useRef<{ readonly key: string; readonly isFocused: boolean }>(undefined)
  useLayoutEffect(() => {
    const { current: wanted } = target
    if (wanted === undefined) return
    const row = body.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(wanted.key)}"]`)
    if (row === null || row === undefined) return
    target.current = undefined
    row.style.scrollMarginTop = `${head.current?.offsetHeight ?? 0}px`
    row.scrollIntoView({ block: 'nearest' })
    if (wanted.isFocused) row.focus({ preventScroll: true })
  })
  const goTo = (key: string | undefined, isFocused = true): void => {
    if (key === undefined) return
    target.current = { key, isFocused }
    rows.reveal([key])
    onSelect(key)
  }
  const selectedNode = selected === undefined ? undefined : tree.nodes.get(selected)?.node
  const actions: TimelineActions = {
    focusSearch: () => search.current?.select(),
    leaveSearch() {
      const isSearching = document.activeElement === search.current
      rows.setQuery('')
      if (isSearching) goTo(selected ?? rows.rows[0]?.node.key)
    },
    nextHit(by) {
      // A key press may come before the hits of the last letter.
      goTo(rows.next(searchRows(tree, rows.query), selected, by), false)
    },
    nextError: () => goTo(rows.next(rows.errors, selected)),
    togglePath() {
      setPathShown(!isPathShown)
      if (isPathShown) return
      const shown = pathOfTree(tree, axis.end)
      goTo(shown.slowest)
    },
    fitSelected() {
      if (selectedNode !== undefined) axis.fitTo({ from: selectedNode.from, to: selectedNode.to ?? axis.end })
    },
    showKeys: () => setKeysShown(true),
    zoomBy: axis.zoomBy,
    panBy: axis.panBy,
    showAll: () => axis.fitTo(undefined),
  }
  useTimelineKeys(section, actions, hasTools)

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const focused = keyOf(event)
    const index = rows.rows.findIndex(({ node }) => node.key === focused)
    const step = stepOf(event.key, { rows: rows.rows, current: index === -1 ? current : index })
    if (step === undefined) return
    event.preventDefault()
    if (step.toggle !== undefined) rows.toggle(step.toggle)
    if (step.select === undefined) return
    target.current = { key: step.select, isFocused: true }
    onSelect(step.select)
    if (step.isOpened === true) onOpen?.(step.select)
  }
  const onClick = (event: MouseEvent): void => {
    const key = keyOf(event)
    if (key === undefined) return
    if (isToggle(event)) return rows.toggle(key)
    onSelect(key)
    onOpen?.(key)
  }
  const onDoubleClick = (event: MouseEvent): void => {
    if (isToggle(event)) return
    const key = keyOf(event)
    const node = key === undefined ? undefined : tree.nodes.get(key)?.node
    if (node !== undefined) axis.fitTo({ from: node.from, to: node.to ?? axis.end })
  }
  return (
    <section ref={section} aria-label="Run tree" className="min-w-0 bg-panel">
      <div
        ref={head}
        hidden={!hasTools && layout.isNarrow}
        className="sticky top-0 z-10 border-b border-line bg-panel"
      >
        {hasTools ? (
          <TimelineToolbar
            rows={rows}
            axis={axis}
            actions={actions}
            search={search}
            selected={selected}
            isPathShown={isPathShown}
            colour={colour}
            onColour={setColour}
          />
        ) : null}
        {layout.isNarrow ? null : <Columns layout={layout} axis={axis} tree={hasTools ? tree : undefined} />}
      </div>
      <div
        ref={body}
        className="relative [overflow-anchor:none]"
        style={{ height: rows.rows.length * layout.rowHeight }}
        onClick={onClick}
        onDoubleClick={onDoubleClick}
        onKeyDown={onKeyDown}
      >
        {layout.isNarrow ? null : (
          <div
            className="absolute inset-y-0 overflow-hidden"
            style={{ left: layout.barStart, width: layout.barWidth }}
          >
            <Grid ticks={axis.ticks} scale={axis.scale} />
          </div>
        )}
        <TreeRows
          list={body}
          rows={rows.rows}
          current={current}
          selected={selected}
          hits={rows.hitSet}
          path={path}
          colourOf={colourOf}
          layout={layout}
          scale={axis.scale}
          clock={clock}
        />
      </div>
      {areKeysShown ? (
        <Suspense>
          <KeysDialog onClose={() => setKeysShown(false)} />
        </Suspense>
      ) : null}
    </section>
  )
})

/** Returns the key of the row in which an event happened. */
function keyOf({ target }: { readonly target: EventTarget }): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('[data-key]')?.dataset['key'] : undefined
}

/** Returns true if the event happened on the part of a row that opens and closes it. */
function isToggle({ target }: { readonly target: EventTarget }): boolean {
  return target instanceof Element && target.closest('[data-toggle]') !== null
}

/** Shows the names of the columns, the minimap and the axis. */
function Columns({
  layout,
  axis,
  tree,
}: {
  readonly layout: RowLayout
  readonly axis: TimeAxis
  /** `undefined` for no minimap. */
  readonly tree: Parameters<typeof Minimap>[0]['tree'] | undefined
}): ReactElement {
  return (
    <div className="flex text-tiny text-muted">
      <span className="shrink-0 self-end pb-1 pl-7" style={{ width: layout.nameWidth }}>
        Agent or tool
      </span>
      {layout.hasTokens ? <span className="w-24 shrink-0 self-end pr-3 pb-1 text-right">Tokens</span> : null}
      <span className="w-18 shrink-0 self-end pr-3 pb-1 text-right">Cost</span>
      <div style={{ width: layout.barWidth }}>
        {tree === undefined ? null : <Minimap tree={tree} axis={axis} />}
        <Axis ticks={axis.ticks} scale={axis.scale} />
      </div>
    </div>
  )
}

/** Width in px from which the bars are beside the names. */
const WIDE = 600
/** Width in px from which there is a column for tokens. */
const WITH_TOKENS = 900
/** Widths of the columns for tokens and cost, and of the space after the bars, in px. */
const TOKENS_WIDTH = 90
const COST_WIDTH = 67.5
const MARGIN = 16
const NARROW_MARGIN = 12

function useLayout(width: number): RowLayout {
  const isCoarse = useMedia('(pointer: coarse)')
  return useMemo(() => {
    const isNarrow = width < WIDE
    const hasTokens = width >= WITH_TOKENS
    const nameWidth = isNarrow ? width : Math.round(Math.min(460, 0.42 * width))
    const usageWidth = COST_WIDTH + (hasTokens ? TOKENS_WIDTH : 0)
    const barStart = isNarrow ? NARROW_MARGIN : nameWidth + usageWidth
    return {
      rowHeight: isNarrow || isCoarse ? 44 : 26,
      isNarrow,
      hasTokens,
      nameWidth,
      barStart,
      barWidth: Math.max(1, width - barStart - (isNarrow ? NARROW_MARGIN : MARGIN)),
    }
  }, [width, isCoarse])
}

/** Returns the effect of a key press in the tree; `undefined` if it has none. */
function stepOf(
  key: string,
  { rows, current }: { readonly rows: readonly VisibleRow[]; readonly current: number },
):
  | { readonly select?: string | undefined; readonly toggle?: string; readonly isOpened?: boolean }
  | undefined {
  const row = rows[current]
  if (row === undefined) return undefined
  const at = (index: number) => ({ select: rows[index]?.node.key })
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
      return { ...at(current), isOpened: true }
    case 'ArrowRight':
      if (row.isOpen === undefined) return undefined
      return row.isOpen ? at(current + 1) : { toggle: row.node.key }
    case 'ArrowLeft':
      if (row.isOpen === true) return { toggle: row.node.key }
      return at(rows.findLastIndex(({ level }, index) => index < current && level < row.level))
    default:
      return undefined
  }
}
