import {
  countChildren,
  emptyTimeline,
  formatCost,
  formatDuration,
  formatTokens,
  plainText,
  reduceTimeline,
  toRows,
  type TimelineRun,
  type Timeline,
  type TimelineRow,
} from '@troupe/timeline'
import type { Clock, Outcome } from '@troupe/schema'
import cliTruncate from 'cli-truncate'
import stringWidth from 'string-width'
import type { Style, Notes, Output } from '../terminal/terminal.ts'
import { createInterimText, type Reporter } from './reporter.ts'
import { createLiveFrame } from './live-frame.ts'
import { lookOf } from './outcomes.ts'
import { countText, pad } from './table.ts'

/** Creates a reporter that redraws the tree of runs in place. The last frame stays on the terminal. */
export function createPanel(
  output: Output,
  { clock, style, notes }: { readonly clock: Clock; readonly style: Style; readonly notes: Notes },
): Reporter {
  const interimText = createInterimText()
  let timeline = emptyTimeline()
  let tick = 0
  let state: 'idle' | 'drawing' | 'paused' | 'ended' = 'idle'

  const toLines = (height?: number): readonly string[] =>
    panelLines(timeline, {
      now: clock.now(),
      tick,
      columns: output.columns ?? 80,
      style,
      ...(height === undefined ? {} : { height }),
    })
  const frame = createLiveFrame(output, {
    clock,
    notes,
    toLines(at) {
      tick = at.tick
      return toLines(at.height)
    },
  })
  const start = (): void => {
    state = 'drawing'
    frame.start()
  }
  return {
    onEvent(event) {
      timeline = reduceTimeline(timeline, event)
      if (state === 'idle') start()
      const interim = interimText(event)
      if (interim !== undefined) notes.stream.write(`${plainText(interim.trim(), { lines: true })}\n`)
    },
    async pause(work) {
      if (state !== 'drawing') return work()
      frame.stop()
      state = 'paused'
      try {
        return await work()
      } finally {
        if (isPaused()) start()
      }
    },
    end() {
      if (state === 'drawing') frame.stop(toLines())
      else if (state === 'paused') output.write(`${toLines().join('\n')}\n`)
      state = 'ended'
    },
  }

  function isPaused(): boolean {
    return state === 'paused'
  }
}

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
  readonly style: Style
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const TIME_WIDTH = 9
/** Characters of an input that are shown at most. */
const MAX_INPUT = 60
/** Height from which a frame has space for the sum. */
const MIN_HEIGHT_WITH_SUM = 4

/**
 * Returns the lines of the panel, none wider than the terminal: one row per run, with its children below it,
 * ended ones included. A frame with a limited height ends with the {@link sumLine} if there is space for it.
 */
export function panelLines(timeline: Timeline, frame: PanelFrame): readonly string[] {
  const { without, height } = frame
  const rows = toRows(timeline).filter((row) => row.kind !== 'run' || without?.has(row.run.runId) !== true)
  const sum = height === undefined || height < MIN_HEIGHT_WITH_SUM ? undefined : sumLine(timeline, frame)
  const visible = height === undefined ? rows : fitRows(rows, sum === undefined ? height : height - 1)
  const widest = Math.max(0, ...visible.map((row) => stringWidth(nameCell(row, frame))))
  const width = Math.min(widest, Math.floor(frame.columns / 2))
  const lines = visible.map((row) => {
    const name = pad(cliTruncate(nameCell(row, frame), width), width)
    return `${name}${pad(timeOf(row, frame), TIME_WIDTH, 'right')}  ${stateOf(row, frame.style)}`
  })
  // Leave one column free, because some terminals wrap a full line.
  const fit = (line: string): string => cliTruncate(line, Math.max(1, frame.columns - 1)).trimEnd()
  return [...lines, ...(sum === undefined ? [] : [sum])].map(fit)
}

/**
 * Returns one line about all child runs: ended, running, waiting and failed ones, cost and tokens of the whole
 * tree, and the time since the start. `undefined` with fewer than two children.
 */
function sumLine(timeline: Timeline, { now, style }: PanelFrame): string | undefined {
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
  if (row.kind !== 'run') return style.dim('…')
  const { outcome, state, error } = row.run
  if (outcome !== undefined) {
    const { color, mark } = lookOf(outcome, error)
    return style[color](mark)
  }
  if (state === 'waiting') return style.yellow('?')
  return style.cyan(SPINNER[tick % SPINNER.length] ?? '')
}

function nameOf(row: FrameRow): string {
  switch (row.kind) {
    case 'run':
      return row.run.instance
    case 'queued':
      return row.call.childInstance ?? row.call.toolName
    default:
      return `${row.count} more`
  }
}

function timeOf(row: FrameRow, { now }: PanelFrame): string {
  if (row.kind !== 'run') return ''
  const { durationMs } = row.run
  if (durationMs !== undefined) return formatDuration(durationMs)
  return elapsedText(row.run, now)
}

/** Returns the time since the start of a run, with tenths of the first second to keep the width stable. */
function elapsedText({ startedAt }: TimelineRun, now: number): string {
  const elapsed = Math.max(0, now - startedAt)
  return elapsed < 1000 ? `${(Math.floor(elapsed / 100) / 10).toFixed(1)} s` : formatDuration(elapsed)
}

function stateOf(row: FrameRow, style: Style): string {
  if (row.kind === 'cut') return style.dim('not shown')
  if (row.kind === 'more') return moreOf(row, style)
  if (row.kind === 'run') {
    return row.run.outcome === undefined ? activityOf(row.run) : endOf(row.run, row.run.outcome, style)
  }
  const { position } = row.call
  return style.dim(position === undefined ? 'waiting to start' : `queued, position ${position}`)
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
type FrameRow = TimelineRow | { readonly kind: 'cut'; readonly indent: 0; readonly count: number }

/**
 * Returns the rows that fit into `height` lines, in their order. If there are too many, ended rows are
 * removed first, then queued, running and waiting ones, but never the first row. The last line counts the
 * removed rows.
 */
function fitRows(rows: readonly TimelineRow[], height: number): readonly FrameRow[] {
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

function rankOf(row: TimelineRow, index: number): number {
  if (index === 0) return 0
  if (row.kind === 'queued') return 3
  if (row.kind === 'more') return 4
  if (row.run.state === 'waiting') return 1
  return row.run.state === 'running' ? 2 : 5
}
