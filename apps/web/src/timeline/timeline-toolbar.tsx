import {
  ChevronDown,
  ChevronUp,
  CircleHelp,
  FoldHorizontal,
  Maximize,
  Route,
  Search,
  SkipForward,
  TriangleAlert,
  X,
  ZoomIn,
  ZoomOut,
} from 'lucide-react'
import type { ReactElement, ReactNode, RefObject } from 'react'
import { classNames } from '../ui/class-names.ts'
import { Select } from '../ui/field.tsx'
import { COLOUR_MODES, type ColourMode } from '../waterfall/bar-colours.ts'
import type { TimelineActions } from './timeline-actions.ts'
import type { TimeAxis } from './use-time-axis.ts'
import type { TimelineRows } from './use-timeline-rows.ts'

/** Shows the buttons of the timeline: search, errors, critical path, colours and zoom. */
export function TimelineToolbar({
  rows,
  axis,
  actions,
  search,
  selected,
  isPathShown,
  colour,
  onColour,
}: {
  readonly rows: TimelineRows
  readonly axis: TimeAxis
  readonly actions: TimelineActions
  readonly search: RefObject<HTMLInputElement | null>
  readonly selected: string | undefined
  readonly isPathShown: boolean
  readonly colour: ColourMode
  readonly onColour: (mode: ColourMode) => void
}): ReactElement {
  return (
    <div
      role="group"
      aria-label="Tools of the timeline"
      className="flex items-center gap-1 overflow-x-auto border-b border-line px-2 py-1 sm:px-3"
    >
      <SearchBox rows={rows} actions={actions} search={search} selected={selected} />
      <Separator />
      <ToolButton
        label={`Errors only (${rows.errors.length})`}
        isPressed={rows.isErrorsOnly}
        disabled={rows.errors.length === 0}
        onClick={() => rows.setErrorsOnly(!rows.isErrorsOnly)}
      >
        <TriangleAlert className="size-4" />
      </ToolButton>
      <ToolButton label="Next error (e)" disabled={rows.errors.length === 0} onClick={actions.nextError}>
        <SkipForward className="size-4" />
      </ToolButton>
      <ToolButton label="Slowest path (s)" isPressed={isPathShown} onClick={actions.togglePath}>
        <Route className="size-4" />
      </ToolButton>
      <Select
        isQuiet
        aria-label="Colour by"
        title="Colour by"
        className="shrink-0 pointer-coarse:[&_select]:h-[44px]"
        value={colour}
        onChange={(event) => onColour(event.target.value as ColourMode)}
      >
        {COLOUR_MODES.map(([mode, label]) => (
          <option key={mode} value={mode}>
            {label}
          </option>
        ))}
      </Select>
      <Separator />
      <ToolButton
        label="Fold waits"
        isPressed={axis.isFolded && axis.gaps.length > 0}
        disabled={axis.gaps.length === 0}
        onClick={() => axis.setFolded(!axis.isFolded)}
      >
        <FoldHorizontal className="size-4" />
      </ToolButton>
      <ToolButton label="Zoom out (-)" disabled={!axis.isZoomed} onClick={() => axis.zoomBy(1 / 1.5)}>
        <ZoomOut className="size-4" />
      </ToolButton>
      <ToolButton label="Zoom in (+)" onClick={() => axis.zoomBy(1.5)}>
        <ZoomIn className="size-4" />
      </ToolButton>
      <ToolButton label="Show all (0)" disabled={!axis.isZoomed} onClick={() => axis.fitTo(undefined)}>
        <Maximize className="size-4" />
      </ToolButton>
      <ToolButton label="Keys (?)" onClick={actions.showKeys}>
        <CircleHelp className="size-4" />
      </ToolButton>
    </div>
  )
}

function SearchBox({
  rows,
  actions,
  search,
  selected,
}: {
  readonly rows: TimelineRows
  readonly actions: TimelineActions
  readonly search: RefObject<HTMLInputElement | null>
  readonly selected: string | undefined
}): ReactElement {
  const { query, hits } = rows
  const at = selected === undefined ? 0 : hits.indexOf(selected) + 1
  const count = hits.length === 0 ? 'no hits' : at > 0 ? `${at} of ${hits.length}` : `${hits.length} hits`
  return (
    <div role="search" className="flex shrink-0 items-center gap-0.5">
      <span className="relative">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 left-2 size-3.5 -translate-y-1/2 text-muted"
        />
        <input
          ref={search}
          type="text"
          role="searchbox"
          dir="auto"
          autoComplete="off"
          spellCheck={false}
          aria-label="Search in inputs, calls, results and answers"
          placeholder="Search ( / )"
          value={query}
          onChange={(event) => rows.setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return
            if (event.key === 'Enter') {
              event.preventDefault()
              actions.nextHit(event.shiftKey ? -1 : 1)
            } else if (event.key === 'Escape') {
              event.preventDefault()
              event.stopPropagation()
              actions.leaveSearch()
            }
          }}
          className="h-8 w-36 rounded-md border border-strong-line bg-panel pr-2 pl-7 text-small placeholder:text-muted sm:w-56 pointer-coarse:h-[44px]"
        />
      </span>
      <span role="status" className="px-1 text-center text-tiny whitespace-nowrap text-muted tabular">
        {query.trim() === '' ? '' : count}
      </span>
      {query === '' ? null : (
        <>
          <ToolButton
            label="Previous hit (Shift+Enter)"
            disabled={hits.length === 0}
            onClick={() => actions.nextHit(-1)}
          >
            <ChevronUp className="size-4" />
          </ToolButton>
          <ToolButton
            label="Next hit (Enter)"
            disabled={hits.length === 0}
            onClick={() => actions.nextHit(1)}
          >
            <ChevronDown className="size-4" />
          </ToolButton>
          <ToolButton label="Clear the search" onClick={actions.leaveSearch}>
            <X className="size-4" />
          </ToolButton>
        </>
      )}
    </div>
  )
}

function Separator(): ReactElement {
  return <span aria-hidden="true" className="mx-1 h-5 w-px shrink-0 bg-line" />
}

function ToolButton({
  label,
  isPressed,
  disabled = false,
  onClick,
  children,
}: {
  readonly label: string
  /** `undefined` for a button that does not stay pressed. */
  readonly isPressed?: boolean
  readonly disabled?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}): ReactElement {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...(isPressed === undefined ? {} : { 'aria-pressed': isPressed })}
      disabled={disabled}
      onClick={onClick}
      className={classNames(
        'inline-grid size-8 shrink-0 place-items-center rounded-md disabled:cursor-not-allowed disabled:opacity-40 pointer-coarse:size-[44px]',
        isPressed === true ? 'bg-accent-wash text-accent' : 'text-muted hover:bg-raised hover:text-ink',
      )}
    >
      {children}
    </button>
  )
}
