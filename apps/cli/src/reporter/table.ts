import { plainText } from '@troupe/timeline'
import stringWidth from 'string-width'
import type { Output } from '../terminal/terminal.ts'
import { wrapLine } from '../terminal/wrap.ts'

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /**
   * Order in which columns are removed if the table is too wide, lowest first. Without it, the column always
   * stays.
   */
  readonly dropOrder?: number
}

interface TextTable {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly string[])[]
}

/** Removes columns until the table is narrower than `width`. Without `width`, returns it unchanged. */
export function fitTable(table: TextTable, width: number | undefined): TextTable {
  const { columns, rows } = table
  const leastImportant = columns
    .filter((column) => column.dropOrder !== undefined)
    .toSorted((a, b) => (a.dropOrder ?? 0) - (b.dropOrder ?? 0))[0]
  if (width === undefined || tableWidth(table) < width || leastImportant === undefined) return table
  const position = columns.indexOf(leastImportant)
  return fitTable(
    { columns: columns.toSpliced(position, 1), rows: rows.map((cells) => cells.toSpliced(position, 1)) },
    width,
  )
}

/** Returns the width of the widest line in terminal columns. */
export function tableWidth({ columns, rows }: TextTable): number {
  return Math.max(...tableLines(columns, rows).map((line) => stringWidth(line)))
}

/** Returns the title line and one line per row, with two spaces between columns and no trailing spaces. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const lines = [columns.map((column) => column.title), ...rows]
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => stringWidth(cells[index] ?? ''))))
  return lines.map((cells) =>
    columns
      .map((column, index) => pad(cells[index] ?? '', widths[index] ?? 0, column.align))
      .join('  ')
      .trimEnd(),
  )
}

/** Spaces between two columns. */
const GAP = 2
/** Width in terminal columns below which the last cells are not wrapped. */
const MIN_LAST_WIDTH = 24

/** Splits the last cells of rows into several rows where they are too long for a terminal with space for them. */
export function wrapLastCells(
  rows: readonly (readonly string[])[],
  output: Output,
): readonly (readonly string[])[] {
  const width = lastCellWidth(rows, output)
  if (width === Infinity || width < MIN_LAST_WIDTH) return rows
  return rows.flatMap((cells) =>
    wrapLine(cells.at(-1) ?? '', width).map((line, index) => [
      ...(index === 0 ? cells.slice(0, -1) : cells.slice(0, -1).map(() => '')),
      line,
    ]),
  )
}

/** Returns true if a terminal has space for the last cells beside the others. Other outputs have no limit. */
export function hasSpaceForLastCells(rows: readonly (readonly string[])[], output: Output): boolean {
  return lastCellWidth(rows, output) >= MIN_LAST_WIDTH
}

/** Returns the width that a terminal leaves for the last cells, `Infinity` for other outputs. */
function lastCellWidth(rows: readonly (readonly string[])[], { isTTY, columns }: Output): number {
  if (isTTY !== true || columns === undefined) return Infinity
  const first = rows.map((cells) => cells.slice(0, -1))
  const titles = (first[0] ?? []).map(() => ({ title: '' }))
  return columns - 1 - tableWidth({ columns: titles, rows: first }) - GAP
}

/** Pads a text to a width in terminal columns. */
export function pad(text: string, width: number, align: Column['align'] = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - stringWidth(text)))
  return align === 'right' ? `${fill}${text}` : `${text}${fill}`
}

/** Returns a count with its noun, such as `2 tool calls`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Returns the first line of a description, at most 100 characters. */
export function firstLine(description: string): string {
  return plainText(description.trim().split('\n', 1)[0] ?? '', { max: 100 })
}

/** Returns the lines of a subtree with the branch that connects it to its parent. */
export function branchLines(lines: readonly string[], isLast: boolean): readonly string[] {
  const [head = '', ...rest] = lines
  return [`${isLast ? '└─' : '├─'} ${head}`, ...rest.map((line) => `${isLast ? ' ' : '│'}  ${line}`)]
}
