import type { IBuffer, IBufferCell } from '@xterm/headless'

const STYLE =
  'pre { display: inline-block; margin: 0; padding: 24px; color: #e6edf3; background: #0d1117; font: 14px/21px "DejaVu Sans Mono", monospace }'

/** Colours of a terminal by number: red, green, yellow, blue, magenta and cyan, then their bright forms. */
const COLOURS: Readonly<Record<number, string>> = {
  1: '#f85149',
  2: '#3fb950',
  3: '#d29922',
  4: '#58a6ff',
  5: '#bc8cff',
  6: '#39c5cf',
  8: '#8b949e',
  9: '#ff7b72',
  10: '#56d364',
  11: '#e3b341',
  12: '#79c0ff',
  13: '#d2a8ff',
  14: '#56d4dd',
}

/** Returns the contents of a terminal as a page, without empty lines at the end. */
export function screenHtml(buffer: IBuffer): string {
  const lines = Array.from({ length: buffer.length }, (_, row) => lineHtml(buffer, row))
  while (lines.at(-1) === '') lines.pop()
  return `<style>body { margin: 0 } ${STYLE}</style><pre>${lines.join('\n')}</pre>`
}

function lineHtml(buffer: IBuffer, row: number): string {
  const line = buffer.getLine(row)
  const end = line?.translateToString(true).length ?? 0
  const cells = Array.from({ length: end }, (_, column) => line?.getCell(column))
  return cells.map((cell) => (cell === undefined ? '' : cellHtml(cell))).join('')
}

function cellHtml(cell: IBufferCell): string {
  // the second half of a wide character has no characters
  if (cell.getWidth() === 0) return ''
  const chars = (cell.getChars() || ' ').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const colour = cell.isFgPalette() ? COLOURS[cell.getFgColor()] : undefined
  const styles = [
    ...(colour === undefined ? [] : [`color: ${colour}`]),
    ...(cell.isBold() ? ['font-weight: bold'] : []),
    ...(cell.isDim() ? ['opacity: 0.6'] : []),
  ]
  return styles.length === 0 ? chars : `<span style="${styles.join('; ')}">${chars}</span>`
}
