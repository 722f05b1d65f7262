import { emptyTimeline, plainText, reduceTimeline } from '@troupe/timeline'
import type { Clock } from '@troupe/schema'
import stringWidth from 'string-width'
import { createLogUpdate } from 'log-update'
import type { Style } from '../style.ts'
import type { Notes } from '../notes.ts'
import type { Output } from '../terminal.ts'
import { createInterimText } from './interim-text.ts'
import { panelLines } from './panel-lines.ts'
import type { Reporter } from './reporter.ts'

/** Twelve frames a second. */
const FRAME_MS = 83
const HIDE_CURSOR = '\u001B[?25l'
const SHOW_CURSOR = '\u001B[?25h'
const ERASE_LINE = '\u001B[2K'
const LINE_UP = '\u001B[1A'

/** Draws all runs over and over in place, at most twelve times a second, until it is ended. The last frame stays. */
export function createPanel(
  output: Output,
  { clock, style, notes }: { readonly clock: Clock; readonly style: Style; readonly notes: Notes },
): Reporter {
  const log = createLogUpdate(output, { showCursor: true })
  const interimText = createInterimText()
  let timeline = emptyTimeline()
  let tick = 0
  let drawn: readonly string[] = []
  let cancel: (() => void) | undefined
  let restore: (() => void) | undefined
  let state: 'idle' | 'drawing' | 'paused' | 'ended' = 'idle'

  const toLines = (height: number | undefined): readonly string[] =>
    panelLines(timeline, {
      now: clock.now(),
      tick,
      columns: output.columns ?? 80,
      style,
      ...(height === undefined ? {} : { height }),
    })
  const draw = (): void => {
    // the cursor stands on a line of its own below the frame
    drawn = toLines(Math.max(1, (output.rows ?? 24) - 1))
    if (drawn.length > 0) log(drawn.join('\n'))
  }
  const onTick = (): void => {
    tick += 1
    draw()
    cancel = clock.after(FRAME_MS, onTick)
  }
  const start = (): void => {
    state = 'drawing'
    output.write(HIDE_CURSOR)
    output.on('resize', onResize)
    restore = notes.divert((text) => log.persist(text))
    onTick()
  }
  const stop = (lastFrame?: readonly string[]): void => {
    cancel?.()
    restore?.()
    output.off('resize', onResize)
    if (lastFrame === undefined) log.clear()
    else log.persist(lastFrame.join('\n'))
    drawn = []
    output.write(SHOW_CURSOR)
  }
  /** A narrower terminal has wrapped the lines of the frame: as many rows as they take now are erased. */
  const onResize = (): void => {
    const columns = Math.max(1, output.columns ?? 80)
    const wrapped = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / columns)), 0)
    if (wrapped > drawn.length) {
      output.write(`${(ERASE_LINE + LINE_UP).repeat(wrapped)}${ERASE_LINE}\r`)
      log.done()
    }
    draw()
  }
  return {
    onEvent(event) {
      timeline = reduceTimeline(timeline, event)
      if (state === 'idle') start()
      const said = interimText(event)
      if (said !== undefined) notes.stream.write(`${plainText(said.trim(), { lines: true })}\n`)
    },
    async pause(work) {
      if (state !== 'drawing') return work()
      stop()
      state = 'paused'
      try {
        return await work()
      } finally {
        if (isPaused()) start()
      }
    },
    end() {
      if (state === 'drawing') stop(toLines(undefined))
      else if (state === 'paused') output.write(`${toLines(undefined).join('\n')}\n`)
      state = 'ended'
    },
  }

  function isPaused(): boolean {
    return state === 'paused'
  }
}
