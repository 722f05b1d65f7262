import type { Clock } from '@troupe/schema'
import { createLogUpdate } from 'log-update'
import stringWidth from 'string-width'
import type { CommandContext } from '../terminal/context.ts'
import { refreshSize, type Notes, type Output } from '../terminal/terminal.ts'

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
const HIDE_CURSOR = '\u001B[?25l'
const SHOW_CURSOR = '\u001B[?25h'
const ERASE_LINE = '\u001B[2K'
const LINE_UP = '\u001B[1A'
const ERASE_LINE_END = '\u001B[K'
const ERASE_BELOW = '\u001B[J'

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
  const writes = createJoinedWrites(output)
  const log = createLogUpdate(writes.output, { showCursor: true })
  let state: LiveFrame['state'] = 'idle'
  let tick = 0
  let drawn: readonly string[] = []
  let cancel: (() => void) | undefined
  let restore: (() => void) | undefined
  let unwatch: (() => void) | undefined
  let isForeground = true

  const draw = (): void => {
    if (!isForeground) return
    refreshSize(output)
    // Leave one line for the cursor below the frame.
    drawn = toLines({ tick, height: Math.max(1, (output.rows ?? 24) - 1) })
    if (drawn.length > 0) log(drawn.join('\n'))
    else log.clear()
  }
  const onTick = (): void => {
    tick += 1
    draw()
    cancel = clock.after(FRAME_MS, onTick)
  }
  const onForeground = (isNowForeground: boolean): void => {
    if (state === 'idle' || isNowForeground === isForeground) return
    if (!isNowForeground) {
      log.clear()
      drawn = []
    }
    isForeground = isNowForeground
    output.write(isForeground ? HIDE_CURSOR : SHOW_CURSOR)
    draw()
  }
  /**
   * Erases the rows of the frame after a resize, counting the rows that a narrower terminal has wrapped, and
   * redraws it.
   */
  const onResize = (): void => {
    const columns = Math.max(1, output.columns ?? 80)
    const wrapped = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / columns)), 0)
    if (wrapped > drawn.length) {
      output.write(`${(ERASE_LINE + LINE_UP).repeat(wrapped)}${ERASE_LINE}\r`)
      log.done()
    }
    draw()
  }
  /**
   * Writes lines of another stream over the frame, which usually shows them already, then redraws the rest in
   * one write to avoid flicker.
   */
  const overwrite = (text: string, target: Output): void => {
    if (drawn.length > 0) output.write(`\u001B[${drawn.length}A\r`)
    target.write(text.replaceAll('\n', `${ERASE_LINE_END}\n`))
    log.done()
    writes.join(() => {
      writes.output.write(ERASE_BELOW)
      draw()
    })
  }
  const printAbove = (text: string, target: Output = output): void => {
    refreshSize(output)
    if (state === 'idle' || !isForeground) target.write(text)
    else if (target !== output) overwrite(text, target)
    else
      writes.join(() => {
        log.clear()
        writes.output.write(text)
        draw()
      })
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
    draw,
    printAbove,
    stop(lastFrame) {
      refreshSize(output)
      state = 'idle'
      isForeground = true
      unwatch?.()
      cancel?.()
      restore?.()
      output.off('resize', onResize)
      writes.join(() => {
        if (lastFrame === undefined) log.clear()
        else log.persist(lastFrame.join('\n'))
      })
      output.write(SHOW_CURSOR)
      drawn = []
    },
  }
}

/** Output that can combine several writes into one, to avoid flicker. */
interface JoinedWrites {
  /** Output that writes directly, or into the combined text during `join`. */
  readonly output: Output
  /** Combines everything that `work` writes into one write. */
  join(work: () => void): void
}

const BEGIN = '\u001B[?2026h'
const END = '\u001B[?2026l'

/**
 * Creates joined writes on an output. `BEGIN` and `END` are the escape sequences for synchronized output;
 * other terminals usually draw a single write at once.
 */
function createJoinedWrites(output: Output): JoinedWrites {
  let parts: string[] | undefined
  const write = (text: string): boolean => {
    if (parts === undefined) return output.write(text)
    parts.push(text)
    return true
  }
  return {
    output: new Proxy(output, {
      get: (target, key) => (key === 'write' ? write : (Reflect.get(target, key) as unknown)),
    }),
    join(work) {
      if (parts !== undefined) return work()
      parts = []
      try {
        work()
      } finally {
        const text = parts.join('').replaceAll(BEGIN, '').replaceAll(END, '')
        parts = undefined
        if (text !== '') output.write(output.isTTY === true ? `${BEGIN}${text}${END}` : text)
      }
    },
  }
}
