import type { Clock } from '@troupe/schema'
import stringWidth from 'string-width'
import type { CommandContext } from '../terminal/context.ts'
import { refreshSize, type Notes, type Output } from '../terminal/terminal.ts'
import { changeLines, eraseRows, overwriteRows } from './frame-changes.ts'

/**
 * Lines at the bottom of a terminal that are redrawn in place. Output of card functions is printed above
 * them.
 */
interface LiveFrame {
  readonly state: 'idle' | 'drawing'
  start(): void
  draw(): void
  /**
   * Prints whole lines above the frame, to the terminal of the frame or to `target`, which may be the same
   * terminal.
   */
  printAbove(text: string, target?: Output): void
  /** Stops drawing. `lastFrame` stays on the terminal; without it the frame is erased. */
  stop(lastFrame?: readonly string[]): void
}

/** Returns the lines of a frame. `tick` counts the frames, `height` is the maximum number of lines. */
type FrameLines = (frame: { readonly tick: number; readonly height: number }) => readonly string[]

/** Frame interval in ms: twelve frames per second. */
const FRAME_MS = 83
/**
 * While the user drags the border of a pane, tmux changes the screen at once, but notifies the program only four times
 * a second. A frame that is drawn in between cannot erase the rows that the screen has wrapped.
 */
const FRAMES_PER_RESIZE = 4
const HIDE_CURSOR = '\u001B[?25l'
const SHOW_CURSOR = '\u001B[?25h'
/** Escape sequences for synchronized output; other terminals usually draw a single write at once. */
const BEGIN = '\u001B[?2026h'
const END = '\u001B[?2026l'

/**
 * Creates a frame that is redrawn twelve times per second between `start` and `stop`. It can be started
 * again.
 */
export function createLiveFrame(
  output: Output,
  {
    clock,
    notes,
    toLines,
    watchForeground,
  }: {
    readonly clock: Clock
    readonly notes: Notes
    readonly toLines: FrameLines
    /** Erases the frame while the program is stopped or in the background. Default: it is always drawn. */
    readonly watchForeground?: CommandContext['watchForeground'] | undefined
  },
): LiveFrame {
  let state: LiveFrame['state'] = 'idle'
  let tick = 0
  let drawn: readonly string[] = []
  let cancel: (() => void) | undefined
  let restore: (() => void) | undefined
  let unwatch: (() => void) | undefined
  let isForeground = true
  /** Number of frames that are not drawn after a resize. */
  let skippedFrames = 0

  const write = (text: string): void => {
    if (text !== '') output.write(output.isTTY === true ? `${BEGIN}${text}${END}` : text)
  }
  /** Writes the next frame over the drawn one, or below `text` if that has replaced it. */
  const draw = (text?: string): void => {
    if (!isForeground) return
    if (text === undefined) refreshSize(output)
    // Leave one line for the cursor below the frame.
    const lines = toLines({ tick, height: Math.max(1, (output.rows ?? 24) - 1) })
    const previous = text === undefined ? drawn : []
    drawn = lines
    write(`${text ?? ''}${changeLines(previous, lines)}`)
  }
  const onTick = (): void => {
    tick += 1
    if (skippedFrames > 0) skippedFrames -= 1
    else draw()
    cancel = clock.after(FRAME_MS, onTick)
  }
  const onForeground = (isNowForeground: boolean): void => {
    if (state === 'idle' || isNowForeground === isForeground) return
    if (!isNowForeground) {
      write(eraseRows(drawn.length))
      drawn = []
    }
    isForeground = isNowForeground
    output.write(isForeground ? HIDE_CURSOR : SHOW_CURSOR)
    draw()
  }
  /** Erases the frame after a resize, with the rows that a narrower terminal has wrapped, and draws it again. */
  const onResize = (): void => {
    const columns = Math.max(1, output.columns ?? 80)
    const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / columns)), 0)
    draw(eraseRows(rows))
    skippedFrames = FRAMES_PER_RESIZE
  }
  const printAbove = (text: string, target: Output = output): void => {
    refreshSize(output)
    if (state === 'idle' || !isForeground) target.write(text)
    else if (target === output) draw(`${eraseRows(drawn.length)}${text}`)
    else {
      // The frame usually shows these lines already. Write over it to avoid flicker.
      const { start, lines, end } = overwriteRows(drawn.length, text)
      output.write(start)
      target.write(lines)
      draw(end)
    }
  }
  return {
    get state() {
      return state
    },
    start() {
      state = 'drawing'
      output.write(HIDE_CURSOR)
      output.on('resize', onResize)
      restore = notes.divert((text) => printAbove(text.endsWith('\n') ? text : `${text}\n`))
      onTick()
      unwatch = watchForeground?.(onForeground)
    },
    draw: () => draw(),
    printAbove,
    stop(lastFrame) {
      refreshSize(output)
      state = 'idle'
      isForeground = true
      unwatch?.()
      cancel?.()
      restore?.()
      output.off('resize', onResize)
      write(lastFrame === undefined ? eraseRows(drawn.length) : changeLines(drawn, lastFrame))
      output.write(SHOW_CURSOR)
      drawn = []
    },
  }
}
