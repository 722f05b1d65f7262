import {
  countChildren,
  formatCost,
  formatDuration,
  formatTokens,
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
import { lookOf } from './outcomes.ts'
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
  /** True if keys change the view, which the sum then explains. */
  readonly hasKeys?: boolean
  readonly style: Style
}

/** Rows of a panel: fan-outs as one row each, all rows, or the runs that failed. */
export type PanelView = 'folded' | 'unfolded' | 'errors'

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const TIME_WIDTH = 9
/** Characters of an input that are shown at most. */
const MAX_INPUT = 60
/** Part of the width that names and inputs take at most. */
const NAME_SHARE = 0.4
/** Height from which a frame has space for the sum. */
const MIN_HEIGHT_WITH_SUM = 4

/**
 * Returns the lines of the panel, none wider than the terminal: one row per run, with its children below it,
 * ended ones included. Five or more children with the same agent are one row unless `view` says otherwise. A frame with a limited height ends with the {@link sumLine} if there is space for it.
 */
export function panelLines(timeline: Timeline, frame: PanelFrame): readonly string[] {
  const { height } = frame
  const rows = rowsOf(timeline, frame)
  const sum = height === undefined || height < MIN_HEIGHT_WITH_SUM ? undefined : sumLine(timeline, frame)
  const visible = height === undefined ? rows : fitRows(rows, sum === undefined ? height : height - 1)
  const widest = Math.max(0, ...visible.map((row) => stringWidth(nameCell(row, frame))))
  const width = Math.min(widest, Math.floor(frame.columns * NAME_SHARE))
  const lines = visible.map((row) => {
    const name = pad(cliTruncate(nameCell(row, frame), width), width)
    return `${name}${pad(timeOf(row, frame), TIME_WIDTH, 'right')}  ${stateOf(row, frame.style)}`
  })
  // Leave one column free, because some terminals wrap a full line.
  const fit = (line: string): string => cliTruncate(line, Math.max(1, frame.columns - 1)).trimEnd()
  return [...lines, ...(sum === undefined ? [] : [sum])].map(fit)
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

const NOT_FAILED: ReadonlySet<Outcome> = new Set(['completed', 'partial', 'cancelled'])

function hasFailed({ outcome }: TimelineRun): boolean {
  return outcome !== undefined && !NOT_FAILED.has(outcome)
}

/**
 * Returns one line about all child runs: ended, running, waiting and failed ones, cost and tokens of the whole
 * tree, and the time since the start. `undefined` with fewer than two children.
 */
function sumLine(timeline: Timeline, { now, style, view, hasKeys = false }: PanelFrame): string | undefined {
  const { running, waiting, queued, done, failed } = countChildren(timeline)
  const total = running + waiting + queued + done
  const [root] = timeline.runs
  if (root === undefined || total < 2) return undefined
  const sum = (field: 'input' | 'output' | 'micros'): number =>
    timeline.runs.reduce((amount, { usage }) => amount + usage[field], 0)
  const parts = [
    `${done}/${total} done`,
    running === 0 ? '' : `${running} running`,
    waiting === 0 ? '' : style.yellow(`${waiting} waiting`),
    failed === 0 ? '' : style.red(`${failed} failed`),
    sum('micros') === 0 ? '' : formatCost(sum('micros') / 1_000_000),
    `${formatTokens(sum('input') + sum('output'))} tokens`,
    elapsedText(root, now),
    hasKeys ? style.dim(view === 'unfolded' ? 'f folds' : 'f unfolds') : '',
    hasKeys && failed > 0 ? style.dim(view === 'errors' ? 'e shows all' : 'e shows errors') : '',
  ]
  return parts.filter((part) => part !== '').join(style.dim(' · '))
}

/** Returns the mark, the name and, for a child run, its input. */
function nameCell(row: FrameRow, frame: PanelFrame): string {
  const name = `${'  '.repeat(row.indent)}${markOf(row, frame)} ${plainText(nameOf(row))}`
  if (row.kind !== 'run' || row.run.parentRunId === undefined || row.run.input === '') return name
  return `${name} ${frame.style.dim(plainText(row.run.input, { max: MAX_INPUT }))}`
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

/** Returns the time since the start of a run, with tenths of the first second to keep the width stable. */
function elapsedText({ startedAt }: TimelineRun, now: number): string {
  return formatElapsed(now - startedAt)
}

function formatElapsed(ms: number): string {
  const elapsed = Math.max(0, ms)
  return elapsed < 1000 ? `${(Math.floor(elapsed / 100) / 10).toFixed(1)} s` : formatDuration(elapsed)
}

function stateOf(row: FrameRow, style: Style): string {
  if (row.kind === 'cut') return style.dim('not shown')
  if (row.kind === 'more') return moreOf(row, style)
  if (row.kind === 'group') return groupState(row, style)
  if (row.kind === 'run') {
    return row.run.outcome === undefined ? activityOf(row.run) : endOf(row.run, row.run.outcome, style)
  }
  const { position } = row.call
  return style.dim(position === undefined ? 'waiting to start' : `queued, position ${position}`)
}

/** Returns the numbers of children by state, the median time of the ended ones, and their cost. */
function groupState({ runs, queued, micros }: TimelineGroup, style: Style): string {
  const count = (test: (run: TimelineRun) => boolean): number => runs.filter(test).length
  const ended = runs.flatMap(({ durationMs }) => (durationMs === undefined ? [] : [durationMs]))
  const failed = count(hasFailed)
  const stopped = count(({ outcome }) => outcome === 'cancelled')
  const done = count(({ state }) => state === 'done') - failed - stopped
  const running = count(({ state }) => state === 'running')
  const waiting = count(({ state }) => state === 'waiting')
  const parts = [
    done === 0 ? '' : style.green(`${done} ✓`),
    failed === 0 ? '' : style.red(`${failed} ✗`),
    stopped === 0 ? '' : style.dim(`${stopped} ■`),
    running === 0 ? '' : `${running} running`,
    waiting === 0 ? '' : style.yellow(`${waiting} waiting`),
    queued === 0 ? '' : style.dim(`${queued} queued`),
    ended.length === 0 ? '' : style.dim(`median ${formatDuration(median(ended))}`),
    micros === 0 ? '' : style.dim(formatCost(micros / 1_000_000)),
  ]
  return parts.filter((part) => part !== '').join(style.dim(' · '))
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function moreOf({ done, failed }: Extract<FrameRow, { readonly kind: 'more' }>, style: Style): string {
  const text = style.dim(`${done} done`)
  return failed === 0 ? text : `${text}${style.dim(', ')}${style.red(`${failed} failed`)}`
}

function activityOf(run: TimelineRun): string {
  return run.activity === 'writing' ? `writing, ${run.text.length} characters` : run.activity
}

function endOf(run: TimelineRun, outcome: Outcome, style: Style): string {
  const { word, color } = lookOf(outcome, run.error)
  const isObvious = run.error === undefined || outcome === 'cancelled'
  const why = isObvious ? '' : `: ${plainText(run.error.message, { max: 200 })}`
  const { toolCalls } = run.usage
  const calls = toolCalls === 0 ? '' : style.dim(`, ${countText(toolCalls, 'tool call')}`)
  return `${style[color](word)}${why}${calls}`
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
