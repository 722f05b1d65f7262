const ERASE_LINE = '\u001B[2K'
const LINE_UP = '\u001B[1A'
const ERASE_LINE_END = '\u001B[K'
const ERASE_BELOW = '\u001B[J'
const WRAP_OFF = '\u001B[?7l'
const WRAP_ON = '\u001B[?7h'

/**
 * Returns the escape sequences that change the lines above the cursor from `drawn` to `lines`. Only changed lines are
 * written. They are not wrapped, so that the number of rows stays known while the terminal has another width than
 * the program knows.
 */
export function changeLines(drawn: readonly string[], lines: readonly string[]): string {
  if (lines.length === 0) return eraseRows(drawn.length)
  const first = lines.findIndex((line, index) => line !== drawn[index])
  const start = first === -1 ? lines.length : first
  if (start === drawn.length && start === lines.length) return ''
  // Erase whole lines: tmux would keep the length of a line whose end is erased, and wrap it after a resize.
  const written = lines
    .slice(start)
    .map((line, index) => (line === drawn[start + index] ? '\n' : `${ERASE_LINE}${line}\n`))
  const text = written.length === 0 ? '' : `${WRAP_OFF}${written.join('')}${WRAP_ON}`
  return `${drawn.length === 0 ? '' : moveUp(drawn.length - start)}${text}${lines.length < drawn.length ? ERASE_BELOW : ''}`
}

/** Returns the escape sequences that erase the rows above the cursor and move it to the first of them. */
export function eraseRows(count: number): string {
  if (count === 0) return ''
  // tmux copies the screen to its history if all of it is erased at once.
  return `${(ERASE_LINE + LINE_UP).repeat(count)}${ERASE_LINE}\r`
}

/** Returns the parts of an output that writes whole lines over the rows above the cursor. `end` erases the other rows. */
export function overwriteRows(
  count: number,
  lines: string,
): { readonly start: string; readonly lines: string; readonly end: string } {
  return {
    start: moveUp(count),
    lines: lines.replaceAll('\n', `${ERASE_LINE_END}\n`),
    end: ERASE_BELOW,
  }
}

function moveUp(rows: number): string {
  return rows === 0 ? '\r' : `\u001B[${rows}A\r`
}
