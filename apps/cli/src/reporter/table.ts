import stringWidth from 'string-width'

/** One column of a text table. */
export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
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
