import xterm from '@xterm/headless'
import { onTestFinished } from 'vitest'

/** A terminal that can be looked at: what it shows now, and what has left it at the top. */
export interface Screen {
  write(text: string): Promise<void>
  resize(columns: number, rows: number): Promise<void>
  /** The lines that are seen, empty ones at the end left out. */
  visible(): readonly string[]
  /** The lines that one can scroll back to. */
  scrolledOff(): readonly string[]
  /** Everything from the first line on. */
  all(): readonly string[]
}

/** An emulated terminal: it understands the bytes of a program as a real one does. `lineFeeds`: line breaks come as they were written, without a line discipline. */
export function createScreen({
  columns,
  rows,
  lineFeeds = false,
}: {
  readonly columns: number
  readonly rows: number
  readonly lineFeeds?: boolean
}): Screen {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 10_000,
    convertEol: lineFeeds,
    allowProposedApi: true,
  })
  onTestFinished(() => terminal.dispose())
  const lines = (): readonly string[] => {
    const buffer = terminal.buffer.normal
    return Array.from({ length: buffer.length }, (_, at) => buffer.getLine(at)?.translateToString(true) ?? '')
  }
  const settled = (text: string): Promise<void> => new Promise((resolve) => terminal.write(text, resolve))
  return {
    write: settled,
    async resize(width, height) {
      await settled('')
      terminal.resize(width, height)
    },
    visible: () => withoutTail(lines().slice(terminal.buffer.normal.baseY)),
    scrolledOff: () => lines().slice(0, terminal.buffer.normal.baseY),
    all: () => withoutTail(lines()),
  }
}

function withoutTail(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)
}
