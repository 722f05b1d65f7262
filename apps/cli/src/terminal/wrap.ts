import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import type { Output } from './terminal.ts'

/** Spaces, and the bar, mark or number that starts a line of code. */
const PREFIX = /^ *(?:\d* ?│ |[-+$•] )? */u

/**
 * Wraps a line at spaces into lines of at most `width` characters. The following lines start below the text of the
 * first one; a bar is repeated.
 */
export function wrapLine(line: string, width: number): readonly string[] {
  if (stringWidth(line) <= width) return [line]
  const prefix = PREFIX.exec(line)?.[0] ?? ''
  const rest = prefix.replaceAll(/[^ │]/gu, ' ')
  if (stringWidth(prefix) * 2 > width) return wrapAnsi(line, width, { hard: true, trim: false }).split('\n')
  const lines = wrapAnsi(line.slice(prefix.length), width - stringWidth(prefix), { hard: true }).split('\n')
  return lines.map((part, index) => `${index === 0 ? prefix : rest}${part}`)
}

/** Wraps each line of a text that is printed on a terminal. Returns it unchanged for other outputs. */
export function wrapText(text: string, { isTTY, columns }: Output): string {
  if (isTTY !== true || columns === undefined) return text
  // Leave one column free, because some terminals wrap a full line.
  const width = Math.max(1, columns - 1)
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width))
    .join('\n')
}
