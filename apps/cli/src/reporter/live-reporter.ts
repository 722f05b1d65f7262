import type { Clock, RunEvent, RunReport } from '@troupe/schema'
import { emptyTimeline, plainText, reduceTimeline } from '@troupe/timeline'
import { createMarkdownStream, markdownLines } from './markdown.ts'
import { answerText, printAnswer } from './end.ts'
import { createInterimText, isFailedRoot, type Reporter } from './reporter.ts'
import { createLiveFrame } from './live-frame.ts'
import { panelLines, type PanelKey, type PanelView } from './panel.ts'
import { createPrompt } from './prompt.ts'
import type { CommandContext } from '../terminal/context.ts'
import { refreshSize, type Terminal } from '../terminal/terminal.ts'
import type { Key, KeyReader, TypedAhead } from '../terminal/typing.ts'
import { wrapLine, wrapText } from '../terminal/wrap.ts'

/** Display of one run: the answer as it is streamed, and the active runs below it. */
export interface LiveReporter extends Reporter {
  /** Prints the answer, or the part that was not streamed. Call it after `end`. */
  finish(report: RunReport): void
}

interface LiveReporterOptions {
  readonly clock: Clock
  /** True if the text of the root run is printed while it is written. Needs stdout on a terminal. */
  readonly streams: boolean
  /** True if the row of the root run stays at the end. */
  readonly keepsRoot?: boolean
  /** Keys that answer questions and, without `typedAhead`, control the display. */
  readonly keys?: KeyReader | undefined
  /** Text that is typed for the next prompt. It is shown below the panel. */
  readonly typedAhead?: TypedAhead | undefined
  /** Watches for the stop of the program, during which nothing is drawn. */
  readonly watchForeground?: CommandContext['watchForeground'] | undefined
  /** The page that the user opens with `o`. */
  readonly page?: RunPageLink | undefined
}

/** The page of a run on a server. */
export interface RunPageLink {
  /** Resolves with the address of the run; `undefined` if no server shows it. */
  find(runId: string): Promise<string | undefined>
  open(url: string): void
}

/** Minimum number of panel rows while text is shown above the panel. */
const MIN_ROWS = 3
/** Maximum number of lines of text that is typed ahead. */
const MAX_TYPED = 3
const CURSOR = '▌'
/** View that each key selects; pressing it again returns to the folded view. */
const VIEW_KEYS: ReadonlyMap<string, PanelView> = new Map([
  ['f', 'unfolded'],
  ['e', 'errors'],
])

/**
 * Creates a reporter that draws a run on a terminal. Finished Markdown blocks are printed once; the unfinished
 * block and the panel are redrawn. Rows of child runs are printed above the text that follows them. If the text
 * is not streamed, the reporter draws the panel only.
 */
export function createLiveReporter(
  { stdout, stderr, style, outStyle, notes }: Terminal,
  { clock, streams, keepsRoot = false, keys, typedAhead, watchForeground, page }: LiveReporterOptions,
): LiveReporter {
  const writesText = stdout.isTTY === true && streams
  const text = createMarkdownStream()
  const interimText = createInterimText()
  /** Runs whose rows are already printed, and the root run, which has none. */
  const printedRuns = new Set<string>()
  let timeline = emptyTimeline()
  let hasWork = false
  /** True if the root run failed before its first turn. Its row is removed, because the error follows. */
  let hasFailedToStart = false
  let view: PanelView = 'folded'
  let state: 'idle' | 'drawing' | 'paused' | 'ended' = 'idle'
  let hasDeltas = false
  let lastText: string | undefined
  let needsGap = false
  let pageUrl: string | undefined
  /** True while a frame is drawn for a key, whose echo must not wait for the rows of all runs. */
  let isTyping = false
  let lastPanel:
    | { readonly width: number; readonly height: number; readonly rows: readonly string[] }
    | undefined

  const format = () => {
    refreshSize(stdout)
    refreshSize(stderr)
    const columns = Math.min(stdout.columns ?? 80, stderr.columns ?? 80)
    return { width: Math.max(1, columns - 1), style: outStyle }
  }
  const withGap = (lines: readonly string[]): readonly string[] =>
    needsGap && lines.length > 0 ? ['', ...lines] : lines
  const panelKeys = (): readonly PanelKey[] => {
    if (keys === undefined || typedAhead !== undefined) return []
    return pageUrl === undefined ? ['f', 'e'] : ['f', 'e', 'o']
  }
  const panelRows = (frame: { readonly tick: number; readonly height?: number }): readonly string[] =>
    panelLines(timeline, {
      now: clock.now(),
      columns: stderr.columns ?? 80,
      style,
      without: printedRuns,
      view,
      keys: panelKeys(),
      ...frame,
    })
  const frame = createLiveFrame(stderr, {
    clock,
    notes,
    watchForeground,
    toLines({ tick, height }) {
      const { width } = format()
      const open = prompt.lines({ width, height: height - MIN_ROWS })
      const question = open.length > 0 ? open : typedLines(typedAhead, width)
      const free = height - question.length
      const textLines = withGap(text.rest(format()))
      const size = { width, height: panelHeight(textLines, free) }
      const isSame = lastPanel?.width === size.width && lastPanel.height === size.height
      const typedRows = isTyping && isSame ? lastPanel?.rows : undefined
      const rows = typedRows ?? panelRows({ tick, height: size.height })
      lastPanel = { ...size, rows }
      const freeRows = free - rows.length - 1
      const above = freeRows > 0 ? textLines.slice(-freeRows) : []
      return [...above, ...(textLines.length === 0 ? [] : ['']), ...rows, ...question]
    },
  })
  const draw = (): void => {
    if (state === 'drawing') frame.draw()
  }
  const prompt = createPrompt(keys, draw)
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
  /** Returns the rows that are printed above the following output: those of child runs, or of all runs. */
  const finishRows = (hasRoot = false): readonly string[] => {
    const [root] = timeline.runs
    if (root !== undefined && !hasRoot) printedRuns.add(root.runId)
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
  const onKey = ({ text: typed }: Key): void => {
    const chosen = VIEW_KEYS.get(typed)
    if (chosen !== undefined) view = view === chosen ? 'folded' : chosen
    if (typed === 'o' && pageUrl !== undefined) page?.open(pageUrl)
    draw()
  }
  const findPage = async (runId: string): Promise<void> => {
    pageUrl = await page?.find(runId)
    if (pageUrl !== undefined) draw()
  }
  const releaseKeys = typedAhead === undefined ? keys?.onKey(onKey) : undefined
  typedAhead?.onChange(() => {
    isTyping = true
    draw()
    isTyping = false
  })
  const addToPanel = (event: RunEvent): void => {
    timeline = reduceTimeline(timeline, event)
    hasWork ||= event.type === 'turn-start' || event.depth > 0
    hasFailedToStart ||= !hasWork && isFailedRoot(event)
    if (state !== 'idle') return
    state = 'drawing'
    frame.start()
    void findPage(event.rootRunId)
  }
  return {
    onPastEvent(event) {
      addToPanel(event)
      interimText(event)
    },
    onEvent(event) {
      addToPanel(event)
      const interim = interimText(event)
      if (writesText && event.depth === 0) onRootEvent(event)
      else if (interim !== undefined && !writesText)
        notes.stream.write(`${plainText(interim.trim(), { lines: true })}\n`)
    },
    ask:
      keys === undefined
        ? undefined
        : async (question, signal) => {
            if (signal.aborted) return undefined
            const answer = await prompt.ask(question, signal)
            if (state === 'drawing') frame.printAbove(wrapText(`${question}${answer ?? ''}\n`, stderr))
            return answer
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
      if (state === 'ended') return
      releaseKeys?.()
      keys?.close()
      if (state === 'idle') return
      endText()
      const hasRoot = keepsRoot && !hasFailedToStart
      const finished = finishRows(hasRoot)
      const rows = hasRoot ? withGap(finished) : finished
      if (state === 'drawing') frame.stop(rows.length === 0 ? undefined : rows)
      else if (rows.length > 0) stderr.write(`${rows.join('\n')}\n`)
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

/** Returns the last lines of the text that is typed ahead, with the cursor. */
function typedLines(typedAhead: TypedAhead | undefined, width: number): readonly string[] {
  const text = typedAhead?.text() ?? ''
  if (text === '') return []
  const lines = `${text}${CURSOR}`.split('\n').flatMap((line) => wrapLine(line, width))
  return lines.slice(-MAX_TYPED)
}

function panelHeight(textLines: readonly string[], height: number): number {
  return textLines.length === 0 ? height : Math.max(MIN_ROWS, height - textLines.length - 1)
}
