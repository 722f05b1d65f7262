import { ArrowDown, ArrowUp } from 'lucide-react'
import { useMemo, useState, type ReactElement } from 'react'
import { CopyButton } from '../ui/button.tsx'
import { sortRows, type CsvOrder, type CsvTable } from './parse-csv.ts'

/** Height of a row, in pixels. */
const ROW_HEIGHT = 28
/** Height of the table, in pixels. */
const HEIGHT = 360
/** Rows above and below the visible ones that are in the page. */
const OVERSCAN = 8

/** Shows a table whose columns sort it. Only the visible rows are in the page. */
export function TableView({
  table,
  text,
  label,
}: {
  readonly table: CsvTable
  /** The source, to copy. */
  readonly text: string
  readonly label: string
}): ReactElement {
  const [order, setOrder] = useState<CsvOrder>()
  const [scrollTop, setScrollTop] = useState(0)
  const { header, rows } = table
  const sorted = useMemo(() => sortRows(rows, order), [rows, order])
  const widths = useMemo(() => columnWidths(table), [table])
  const from = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - OVERSCAN)
  const to = Math.min(rows.length, from + Math.ceil(HEIGHT / ROW_HEIGHT) + 2 * OVERSCAN)
  return (
    <div className="min-w-0 overflow-hidden rounded-md border border-line bg-panel">
      <div className="flex h-8 items-center justify-between gap-2 border-b border-line ps-3 pe-0.5 text-tiny text-muted">
        <span className="truncate">
          {label} · {rows.length.toLocaleString('en')} {rows.length === 1 ? 'row' : 'rows'}
        </span>
        <CopyButton text={text} label="Copy table" />
      </div>
      <div
        role="group"
        aria-label={`Table ${label}`}
        tabIndex={0}
        className="overflow-auto -outline-offset-2"
        style={{ maxHeight: HEIGHT }}
        onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      >
        <table
          aria-rowcount={rows.length + 1}
          className="table-fixed border-collapse text-left text-small tabular"
          style={{ width: `${widths.reduce((sum, width) => sum + width, 0)}ch` }}
        >
          <colgroup>
            {widths.map((width, column) => (
              <col key={column} style={{ width: `${width}ch` }} />
            ))}
          </colgroup>
          <thead className="sticky top-0 z-10 bg-raised">
            <tr aria-rowindex={1}>
              {header.map((name, column) => (
                <th
                  key={column}
                  scope="col"
                  aria-sort={sortState(order, column)}
                  className="p-0 font-semibold"
                >
                  <button
                    type="button"
                    className="flex min-h-8 w-full items-center gap-1 px-2 text-start -outline-offset-2 hover:text-accent"
                    onClick={() => setOrder(nextOrder(order, column))}
                  >
                    <span dir="auto" className="truncate">
                      {name === '' ? `Column ${column + 1}` : name}
                    </span>
                    {order?.column === column ? (
                      order.isDescending ? (
                        <ArrowDown aria-hidden="true" className="size-3 shrink-0" />
                      ) : (
                        <ArrowUp aria-hidden="true" className="size-3 shrink-0" />
                      )
                    ) : null}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr aria-hidden="true" style={{ height: from * ROW_HEIGHT }} />
            {sorted.slice(from, to).map((row, index) => (
              <tr
                key={from + index}
                aria-rowindex={from + index + 2}
                className="border-t border-line/60"
                style={{ height: ROW_HEIGHT }}
              >
                {header.map((_, column) => (
                  <td key={column} dir="auto" title={row[column]} className="truncate px-2">
                    {row[column]}
                  </td>
                ))}
              </tr>
            ))}
            <tr aria-hidden="true" style={{ height: (rows.length - to) * ROW_HEIGHT }} />
          </tbody>
        </table>
      </div>
    </div>
  )
}

function sortState(order: CsvOrder | undefined, column: number): 'ascending' | 'descending' | 'none' {
  if (order?.column !== column) return 'none'
  return order.isDescending ? 'descending' : 'ascending'
}

/** Returns the order after a click on a column: ascending, descending, and then as in the source. */
function nextOrder(order: CsvOrder | undefined, column: number): CsvOrder | undefined {
  if (order?.column !== column) return { column, isDescending: false }
  return order.isDescending ? undefined : { column, isDescending: true }
}

/** Rows from which the widths of the columns are computed. */
const SAMPLE = 200

/** Returns the widths of the columns in characters. */
function columnWidths({ header, rows }: CsvTable): readonly number[] {
  return header.map((name, column) => {
    const lengths = rows.slice(0, SAMPLE).map((row) => row[column]?.length ?? 0)
    return Math.min(40, Math.max(8, name.length + 2, ...lengths) + 3)
  })
}
