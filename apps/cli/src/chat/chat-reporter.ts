import type { Clock, RunEvent, RunReport } from '@troupe/schema'
import { emptyTimeline, plainText, reduceTimeline } from '@troupe/timeline'
import { createMarkdownStream, markdownLines } from '../reporter/markdown.ts'
import { answerText, printAnswer } from '../reporter/end.ts'
import { createInterimText, type Reporter } from '../reporter/reporter.ts'
import { createLiveFrame } from '../reporter/live-frame.ts'
import { panelLines } from '../reporter/panel.ts'
import { refreshSize, type Terminal } from '../terminal/terminal.ts'

/** Display of one turn: the answer as it is streamed, and the active runs below it. */
export interface ChatReporter extends Reporter {
  /** Prints the answer, or the part that was not streamed. Call it after `end`. */
  finish(report: RunReport): void
}

/** Minimum number of panel rows while text is shown above the panel. */
const MIN_ROWS = 3

/**
 * Creates a reporter that draws a turn on a terminal. Finished Markdown blocks are printed once; the
 * unfinished block and the panel are redrawn. Rows of child runs are printed above the text that follows
 * them. JSON answers and answers redirected to a file are printed at the end.
 */
export function createChatReporter(
  { stdout, stderr, style, outStyle, notes }: Terminal,
  { clock, isJson }: { readonly clock: Clock; readonly isJson: boolean },
): ChatReporter {
  const writesText = stdout.isTTY === true && !isJson
  const text = createMarkdownStream()
  const interimText = createInterimText()
  /** Runs whose rows are already printed, and the root run, which has none. */
  const printedRuns = new Set<string>()
  let timeline = emptyTimeline()
  let state: 'idle' | 'drawing' | 'paused' | 'ended' = 'idle'
  let hasDeltas = false
  let lastText: string | undefined
  let needsGap = false

  const format = () => {
    refreshSize(stdout)
    refreshSize(stderr)
    const columns = Math.min(stdout.columns ?? 80, stderr.columns ?? 80)
    return { width: Math.max(1, columns - 1), style: outStyle }
  }
  const withGap = (lines: readonly string[]): readonly string[] =>
    needsGap && lines.length > 0 ? ['', ...lines] : lines
  const panelRows = (frame: { readonly tick: number; readonly height?: number }): readonly string[] =>
    panelLines(timeline, {
      now: clock.now(),
      columns: stderr.columns ?? 80,
      style,
      without: printedRuns,
      ...frame,
    })
  const frame = createLiveFrame(stderr, {
    clock,
    notes,
    toLines({ tick, height }) {
      const textLines = withGap(text.rest(format()))
      const rows = panelRows({ tick, height: panelHeight(textLines, height) })
      const freeRows = height - rows.length - 1
      return textLines.length === 0
        ? rows
        : [...(freeRows > 0 ? textLines.slice(-freeRows) : []), '', ...rows]
    },
  })
  const write = (lines: readonly string[]): void => {
    if (lines.length === 0) return
    const printed = withGap(lines)
    needsGap = false
    frame.printAbove(`${printed.join('\n')}\n`, stdout)
  }
  const endText = (): void => {
    write(text.flush(format()))
    hasDeltas = false
    needsGap = lastText !== undefined
  }
  /** Returns the rows of child runs that are printed above the following output. */
  const finishRows = (): readonly string[] => {
    const [root] = timeline.runs
    if (root !== undefined) printedRuns.add(root.runId)
    const rows = panelRows({ tick: 0 })
    for (const { runId } of timeline.runs) printedRuns.add(runId)
    if (root !== undefined) printedRuns.delete(root.runId)
    return rows
  }
  const onRootEvent = (event: RunEvent): void => {
    if (event.type === 'text-start' && timeline.runs.length > 1) {
      const rows = finishRows()
      if (rows.length > 0) frame.printAbove(`${rows.join('\n')}\n`)
      needsGap ||= rows.length > 0
    }
    if (event.type === 'text-delta') {
      hasDeltas = true
      write(text.push(event.text, format()))
    }
    if (event.type === 'text-end') {
      if (!hasDeltas) write(text.push(event.text, format()))
      lastText = event.text
      endText()
    }
  }
  return {
    onEvent(event) {
      timeline = reduceTimeline(timeline, event)
      if (state === 'idle') {
        state = 'drawing'
        frame.start()
      }
      const interim = interimText(event)
      if (writesText && event.depth === 0) onRootEvent(event)
      else if (interim !== undefined && !writesText)
        notes.stream.write(`${plainText(interim.trim(), { lines: true })}\n`)
    },
    async pause(work) {
      if (state !== 'drawing') return work()
      endText()
      frame.stop()
      state = 'paused'
      try {
        return await work()
      } finally {
        if (isPaused()) {
          state = 'drawing'
          frame.start()
        }
      }
    },
    end() {
      if (state === 'ended' || state === 'idle') return
      endText()
      const rows = finishRows()
      if (state === 'drawing') frame.stop(rows.length === 0 ? undefined : rows)
      needsGap ||= rows.length > 0
      state = 'ended'
    },
    finish(report) {
      const answer = answerText(report)
      if (!writesText) return printAnswer(report, stdout, needsGap ? stderr : undefined)
      if (answer.trim() === '' || answer.trim() === lastText?.trim()) return
      write(report.output.value === undefined ? markdownLines(answer, format()) : answer.split('\n'))
    },
  }

  function isPaused(): boolean {
    return state === 'paused'
  }
}

function panelHeight(textLines: readonly string[], height: number): number {
  return textLines.length === 0 ? height : Math.max(MIN_ROWS, height - textLines.length - 1)
}
