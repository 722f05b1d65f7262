import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import type { Output } from './terminal.ts'

/** Spaces, and the bars of a tree, or the bar, mark or number that starts a line of code. */
const PREFIX = /^ *(?:\d* ?│ (?: *│ )*|[-+$•] )? */u

/** Characters by which the second line of a finding or a fact is indented. */
export const HANGING_INDENT = 4

/**
 * Wraps a line at spaces into lines of at most `width` characters. The following lines start below the text of the
 * first one, `hang` characters further right; bars are repeated.
 */
export function wrapLine(line: string, width: number, hang = 0): readonly string[] {
  if (stringWidth(line) <= width) return [line]
  const prefix = PREFIX.exec(line)?.[0] ?? ''
  const rest = `${prefix.replaceAll(/[^ │]/gu, ' ')}${' '.repeat(hang)}`
  if (stringWidth(rest) * 2 > width) return wrapAnsi(line, width, { hard: true, trim: false }).split('\n')
  const lines = wrapAnsi(line.slice(prefix.length), width - stringWidth(rest), { hard: true }).split('\n')
  return lines.map((part, index) => `${index === 0 ? prefix : rest}${part}`)
}

/** Wraps each line of a text that is printed on a terminal. Returns it unchanged for other outputs. */
export function wrapText(text: string, { isTTY, columns }: Output, hang = 0): string {
  if (isTTY !== true || columns === undefined) return text
  // Leave one column free, because some terminals wrap a full line.
  const width = Math.max(1, columns - 1)
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width, hang))
    .join('\n')
}
