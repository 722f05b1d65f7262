import xterm from '@xterm/headless'
import { onTestFinished } from 'vitest'

/** The contents of an emulated terminal: the visible lines and those scrolled off at the top. */
export interface Screen {
  write(text: string): Promise<void>
  resize(columns: number, rows: number): Promise<void>
  /** Returns the visible lines, without empty ones at the end. */
  visible(): readonly string[]
  /** Returns the lines that one can scroll back to. */
  scrolledOff(): readonly string[]
  /** Returns all lines from the first on. */
  all(): readonly string[]
}

/** Creates an emulated terminal, which interprets bytes as a real one does. `lineFeeds`: line breaks are passed as written, without a line discipline. */
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
