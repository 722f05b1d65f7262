import stringWidth from 'string-width'

/** One column of a text table. */
export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** The first to be left out where there is too little room is the one with 1; none: it stays. */
  readonly leaves?: number
}

/** A table as data. */
export interface Table {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly string[])[]
}

/** The table without the columns that have no room in `width` characters; none: it has all the room it wants. */
export function fitTable(table: Table, width: number | undefined): Table {
  const { columns, rows } = table
  const leaving = columns
    .filter((column) => column.leaves !== undefined)
    .toSorted((a, b) => (a.leaves ?? 0) - (b.leaves ?? 0))[0]
  if (width === undefined || tableWidth(table) < width || leaving === undefined) return table
  const place = columns.indexOf(leaving)
  return fitTable(
    { columns: columns.toSpliced(place, 1), rows: rows.map((cells) => cells.toSpliced(place, 1)) },
    width,
  )
}

/** Of its widest line, in terminal columns. */
export function tableWidth({ columns, rows }: Table): number {
  return Math.max(...tableLines(columns, rows).map((line) => stringWidth(line)))
}

/** Rows of text under their titles, two spaces between columns, without spaces at line ends. */
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

/** Text filled up to a width in terminal columns. */
export function pad(text: string, width: number, align: Column['align'] = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - stringWidth(text)))
  return align === 'right' ? `${fill}${text}` : `${text}${fill}`
}
