import {
  formatDuration,
  plainText,
  toFoldedRows,
  toRows,
  type TimelineGroup,
  type TimelineRun,
  type Timeline,
  type TimelineRow,
} from '@troupe/timeline'
import type { Outcome } from '@troupe/schema'
import cliTruncate from 'cli-truncate'
import stringWidth from 'string-width'
import type { Style } from '../terminal/terminal.ts'
import { wrapLine } from '../terminal/wrap.ts'
import { lookOf } from './outcomes.ts'
import { joinParts } from './join-parts.ts'
import { elapsedText, formatElapsed, groupState, hasFailed, pageHint, sumLine } from './panel-numbers.ts'
import { countText, pad } from './table.ts'

/** Values that a panel frame depends on, besides the timeline. */
export interface PanelFrame {
  /** Wall time in ms. */
  readonly now: number
  /** Number of the frame, which selects the spinner character. */
  readonly tick: number
  /** Width of the terminal in characters. */
  readonly columns: number
  /** Maximum number of lines. Default: no limit. */
  readonly height?: number
  /** Ids of runs whose rows are left out. */
  readonly without?: ReadonlySet<string>
  /** Rows to show. Default: `folded`. */
  readonly view?: PanelView
  /** Keys that the sum explains. Default: none. */
  readonly keys?: readonly PanelKey[]
  readonly style: Style
}

/** Rows of a panel: fan-outs as one row each, all rows, or the runs that failed. */
export type PanelView = 'folded' | 'unfolded' | 'errors'

/** Key that changes the view (`f`, `e`) or opens the page of the run (`o`). */
export type PanelKey = 'f' | 'e' | 'o'

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const TIME_WIDTH = 9
/** Width from which times have a column of the full width. */
const WIDE = 60
const NARROW_TIME_WIDTH = 7
/** Characters of an input that are shown at most, and at least. */
const MAX_INPUT = 60
const MIN_INPUT = 6
const MAX_MESSAGE = 200
/** Part of the width that names and inputs take at most, and names alone. */
const NAME_AND_INPUT_SHARE = 0.4
const NAME_SHARE = 0.6
const TIME_GAP = 2
const MARK_WIDTH = 1
/** Height from which a frame has space for the sum. */
const MIN_HEIGHT_WITH_SUM = 4

/**
 * Returns the lines of the panel, none wider than the terminal: one row per run, with its children below it,
 * ended ones included. Five or more children with the same agent are one row unless `view` says otherwise. In
 * the view of errors, long messages continue below their row. A frame with a limited height ends with the sum
 * if there is space for it.
 */
export function panelLines(timeline: Timeline, frame: PanelFrame): readonly string[] {
  const { height = Infinity, columns: width, view, style } = frame
  const rows = rowsOf(timeline, frame)
  const hasSum = height !== Infinity && height >= MIN_HEIGHT_WITH_SUM
  const sum = hasSum ? sumLine(timeline, frame) : undefined
  const rowHeight = sum === undefined ? height : height - 1
  const cells = fitRows(rows, rowHeight).map((row) => cellsOf(row, frame))
  const columns = widthsOf(cells, width)
  let freeLines = rowHeight - cells.length
  const hint = hasSum && sum === undefined && frame.keys?.includes('o') === true ? pageHint(style) : undefined
  const lines = cells.flatMap(({ row, ...cell }, index) => {
    const time = cell.time.padStart(columns.time)
    const ownState = stateOf(row, columns.state, style)
    const state =
      index === 0 && hint !== undefined ? withHint(ownState, hint, { width: columns.state, style }) : ownState
    const stateWidth = stringWidth(state)
    const message = view === 'errors' && stateWidth > columns.state ? messageLines(row, width) : []
    const isBelow = message.length > 0 && message.length <= freeLines
    if (isBelow) freeLines -= message.length
    const end = isBelow ? wordOf(row, style) : state
    const cut = stateWidth > columns.state ? cliTruncate(end, columns.state) : end
    const line = `${nameCell(cell, columns.name, style)}${time}${' '.repeat(TIME_GAP)}${cut}`
    return [(columns.state === 0 ? fit(line, width) : line).trimEnd(), ...(isBelow ? message : [])]
  })
  return sum === undefined ? lines : [...lines, fit(sum, width)]
}

/** Appends the key of the page to the state of the first row, if there is space for it. A panel without a sum has no other line for keys. */
function withHint(
  state: string,
  hint: string,
  { width, style }: { readonly width: number; readonly style: Style },
): string {
  const parts = [{ text: state }, { text: hint, dropOrder: 1 }]
  return joinParts(parts, { width, style })
}

/** Cuts a line. Leaves one column free, because some terminals wrap a full line. */
function fit(line: string, columns: number): string {
  return cliTruncate(line, Math.max(1, columns - 1)).trimEnd()
}

function rowsOf(
  timeline: Timeline,
  { view = 'folded', without = new Set() }: PanelFrame,
): readonly (TimelineRow | TimelineGroup)[] {
  const shown = withoutChildren(timeline, without)
  return viewRows(shown, view).filter((row) => row.kind !== 'run' || !without.has(row.run.runId))
}

function viewRows(timeline: Timeline, view: PanelView): readonly (TimelineRow | TimelineGroup)[] {
  if (view === 'unfolded') return toRows(timeline)
  if (view === 'folded') return toFoldedRows(timeline)
  const failed = timeline.runs.filter((run, index) => index === 0 || hasFailed(run))
  return failed.map((run) => ({ kind: 'run', indent: Math.min(1, run.depth), run }))
}

/** Returns the timeline without these child runs. */
function withoutChildren(timeline: Timeline, without: ReadonlySet<string>): Timeline {
  if (without.size === 0) return timeline
  const runs = timeline.runs.filter(
    ({ runId, parentRunId }) => parentRunId === undefined || !without.has(runId),
  )
  return { ...timeline, runs, runIndexes: new Map(runs.map(({ runId }, index) => [runId, index])) }
}

/** Texts of a row with their widths, which are expensive to measure. */
interface RowCells {
  readonly row: FrameRow
  /** Indent, mark and name. */
  readonly name: string
  readonly nameWidth: number
  /** Input of a child run; empty for other rows. */
  readonly input: string
  readonly inputWidth: number
  /** Only ASCII characters. */
  readonly time: string
}

function cellsOf(row: FrameRow, frame: PanelFrame): RowCells {
  const indent = '  '.repeat(row.indent)
  const name = plainText(nameOf(row))
  const isChild = row.kind === 'run' && row.run.parentRunId !== undefined
  const input = isChild ? plainText(row.run.input, { max: MAX_INPUT }) : ''
  return {
    row,
    name: `${indent}${markOf(row, frame)} ${name}`,
    nameWidth: indent.length + MARK_WIDTH + 1 + stringWidth(name),
    input,
    inputWidth: stringWidth(input),
    time: timeOf(row, frame),
  }
}

/** Widths of the columns of a panel. */
interface PanelColumns {
  readonly name: number
  readonly time: number
  readonly state: number
}

/** Returns the widths of the columns. A name is cut only if there is no other way; its input is cut before. */
function widthsOf(cells: readonly RowCells[], columns: number): PanelColumns {
  const names = Math.max(0, ...cells.map(({ nameWidth }) => nameWidth))
  const full = Math.max(
    0,
    ...cells.map(({ nameWidth, inputWidth }) => nameWidth + (inputWidth === 0 ? 0 : inputWidth + 1)),
  )
  const least = Math.min(names, Math.floor(columns * NAME_SHARE))
  const name = Math.min(full, Math.max(least, Math.floor(columns * NAME_AND_INPUT_SHARE)))
  const longest = Math.max(0, ...cells.map(({ time }) => time.length)) + 1
  const time = Math.max(longest, columns < WIDE ? NARROW_TIME_WIDTH : TIME_WIDTH)
  return { name, time, state: Math.max(0, columns - 1 - name - time - TIME_GAP) }
}

/** Returns the mark, the name and, for a child run, as much of its input as fits, padded to `width`. */
function nameCell(cell: Omit<RowCells, 'row'>, width: number, style: Style): string {
  const { name, nameWidth, input, inputWidth } = cell
  const space = width - nameWidth - 1
  if (input === '' || space < Math.min(MIN_INPUT, inputWidth))
    return nameWidth > width ? pad(cliTruncate(name, width), width) : padEnd(name, width - nameWidth)
  if (inputWidth > space) return pad(`${name} ${style.dim(cliTruncate(input, space))}`, width)
  return padEnd(`${name} ${style.dim(input)}`, space - inputWidth)
}

function padEnd(text: string, spaces: number): string {
  return `${text}${' '.repeat(spaces)}`
}

function markOf(row: FrameRow, { tick, style }: PanelFrame): string {
  if (row.kind === 'queued') return style.dim('◦')
  if (row.kind === 'group' && isActive(row)) return style.cyan(SPINNER[tick % SPINNER.length] ?? '')
  if (row.kind === 'group' && row.runs.every(({ outcome }) => outcome === 'cancelled')) return style.dim('■')
  if (row.kind === 'group') return row.runs.some(hasFailed) ? style.yellow('◐') : style.green('✓')
  if (row.kind !== 'run') return style.dim('…')
  const { outcome, state, error } = row.run
  if (outcome !== undefined) {
    const { color, mark } = lookOf(outcome, error)
    return style[color](mark)
  }
  if (state === 'waiting') return style.yellow('?')
  return style.cyan(SPINNER[tick % SPINNER.length] ?? '')
}

function isActive({ runs, queued }: TimelineGroup): boolean {
  return queued > 0 || runs.some(({ state }) => state !== 'done')
}

function nameOf(row: FrameRow): string {
  switch (row.kind) {
    case 'group':
      return `${row.agent} ×${row.runs.length + row.queued}`
    case 'run':
      return row.run.instance
    case 'queued':
      return row.call.childInstance ?? row.call.toolName
    default:
      return `${row.count} more`
  }
}

function timeOf(row: FrameRow, { now }: PanelFrame): string {
  if (row.kind === 'group') return groupTime(row, now)
  if (row.kind !== 'run') return ''
  const { durationMs } = row.run
  if (durationMs !== undefined) return formatDuration(durationMs)
  return elapsedText(row.run, now)
}

/** Returns the time from the start of the first child to now, or to the end of the last one. */
function groupTime(group: TimelineGroup, now: number): string {
  const startedAt = Math.min(...group.runs.map((run) => run.startedAt))
  if (group.runs.length === 0) return ''
  const endedAt = Math.max(...group.runs.map((run) => run.endedAt ?? 0))
  return formatElapsed((isActive(group) ? now : endedAt) - startedAt)
}

function stateOf(row: FrameRow, width: number, style: Style): string {
  if (row.kind === 'cut') return style.dim('not shown')
  if (row.kind === 'more') return moreOf(row, style)
  if (row.kind === 'group') return groupState(row, { width, style })
  if (row.kind === 'run') {
    return row.run.outcome === undefined ? activityOf(row.run) : endOf(row.run, row.run.outcome, style)
  }
  const { position } = row.call
  return style.dim(position === undefined ? 'waiting to start' : `queued, position ${position}`)
}

function moreOf(
  { done, failed, cancelled }: Extract<FrameRow, { readonly kind: 'more' }>,
  style: Style,
): string {
  if (done === 0) return ''
  const parts = [style.dim(`${done} done`)]
  if (failed > 0) parts.push(style.red(`${failed} failed`))
  if (cancelled > 0) parts.push(style.dim(`${cancelled} stopped`))
  return parts.join(style.dim(', '))
}

function activityOf(run: TimelineRun): string {
  return run.activity === 'writing' ? `writing, ${run.text.length} characters` : run.activity
}

function endOf(run: TimelineRun, outcome: Outcome, style: Style): string {
  const { word, color } = lookOf(outcome, run.error)
  const isObvious = run.error === undefined || outcome === 'cancelled'
  const why = isObvious ? '' : `: ${plainText(run.error.message, { max: MAX_MESSAGE })}`
  const { toolCalls } = run.usage
  const calls = toolCalls === 0 ? '' : style.dim(`, ${countText(toolCalls, 'tool call')}`)
  return `${style[color](word)}${why}${calls}`
}

/** Returns how a run ended, without the reason. */
function wordOf(row: FrameRow, style: Style): string {
  if (row.kind !== 'run' || row.run.outcome === undefined) return ''
  const { word, color } = lookOf(row.run.outcome, row.run.error)
  return style[color](word)
}

/** Returns the message of a failed run as lines below its row. */
function messageLines(row: FrameRow, columns: number): readonly string[] {
  if (row.kind !== 'run' || row.run.error === undefined) return []
  const indent = '  '.repeat(row.indent + 1)
  const message = plainText(row.run.error.message, { max: MAX_MESSAGE })
  return wrapLine(`${indent}${message}`, Math.max(1, columns - 1))
}

/** Row of a frame: a timeline row, or the number of rows that do not fit. */
type FrameRow =
  | TimelineRow
  | TimelineGroup
  | { readonly kind: 'cut'; readonly indent: 0; readonly count: number }

/**
 * Returns the rows that fit into `height` lines, in their order. If there are too many, ended rows are
 * removed first, then queued, running and waiting ones, but never the first row. The last line counts the
 * removed rows.
 */
function fitRows(rows: readonly (TimelineRow | TimelineGroup)[], height: number): readonly FrameRow[] {
  if (rows.length <= height) return rows
  if (height < 2) return rows.slice(0, height)
  const rowLimit = height - 1
  const ranked = rows
    .map((row, index) => ({ index, rank: rankOf(row, index) }))
    .toSorted((a, b) => a.rank - b.rank || a.index - b.index)
  const shownRows = new Set(ranked.slice(0, rowLimit).map(({ index }) => index))
  const hiddenRows = rows.filter((_, index) => !shownRows.has(index))
  const count = hiddenRows.reduce((sum, row) => sum + (row.kind === 'more' ? row.count : 1), 0)
  return [...rows.filter((_, index) => shownRows.has(index)), { kind: 'cut', indent: 0, count }]
}

function rankOf(row: TimelineRow | TimelineGroup, index: number): number {
  if (index === 0 || row.kind === 'group') return 0
  if (row.kind === 'queued') return 3
  if (row.kind === 'more') return 4
  if (row.run.state === 'waiting') return 1
  return row.run.state === 'running' ? 2 : 5
}
