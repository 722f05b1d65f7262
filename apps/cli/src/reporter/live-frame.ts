import type { Clock } from '@troupe/schema'
import { createLogUpdate } from 'log-update'
import stringWidth from 'string-width'
import type { Notes } from '../notes.ts'
import type { Output } from '../terminal.ts'

/** Lines at the end of a terminal that are drawn over and over. What functions of cards print is written above them. */
export interface LiveFrame {
  readonly state: 'idle' | 'drawing'
  start(): void
  draw(): void
  /** Writes something that stays, above the frame. */
  above(write: () => void): void
  /** Ends the drawing. `lastFrame` stays; none: nothing does. */
  stop(lastFrame?: readonly string[]): void
}

/** What is drawn: `tick` counts the frames, `height` is the most lines that have room. */
export type FrameLines = (frame: { readonly tick: number; readonly height: number }) => readonly string[]

/** Twelve frames a second. */
const FRAME_MS = 83
const HIDE_CURSOR = '\u001B[?25l'
const SHOW_CURSOR = '\u001B[?25h'
const ERASE_LINE = '\u001B[2K'
const LINE_UP = '\u001B[1A'

/** A frame that draws at most twelve times a second, between `start` and `stop`; it may start again. */
export function createLiveFrame(
  output: Output,
  { clock, notes, toLines }: { readonly clock: Clock; readonly notes: Notes; readonly toLines: FrameLines },
): LiveFrame {
  const log = createLogUpdate(output, { showCursor: true })
  let state: LiveFrame['state'] = 'idle'
  let tick = 0
  let drawn: readonly string[] = []
  let cancel: (() => void) | undefined
  let restore: (() => void) | undefined

  const draw = (): void => {
    // the cursor stands on a line of its own below the frame
    drawn = toLines({ tick, height: Math.max(1, (output.rows ?? 24) - 1) })
    if (drawn.length > 0) log(drawn.join('\n'))
    else log.clear()
  }
  const onTick = (): void => {
    tick += 1
    draw()
    cancel = clock.after(FRAME_MS, onTick)
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
    get state() {
      return state
    },
    start() {
      state = 'drawing'
      output.write(HIDE_CURSOR)
      output.on('resize', onResize)
      restore = notes.divert((text) => log.persist(text))
      onTick()
    },
    draw,
    above(write) {
      if (state === 'idle') return write()
      log.clear()
      write()
      draw()
    },
    stop(lastFrame) {
      state = 'idle'
      cancel?.()
      restore?.()
      output.off('resize', onResize)
      if (lastFrame === undefined) log.clear()
      else log.persist(lastFrame.join('\n'))
      drawn = []
      output.write(SHOW_CURSOR)
    },
  }
}
