import { formatCost, formatDuration, plainText } from '@troupe/timeline'
import type { StoredRunSummary } from '../run-store/run-summary.ts'
import type { Style } from '../terminal/terminal.ts'
import { stateText } from './outcomes.ts'
import { fitTable, tableLines, tableWidth, type Column } from './table.ts'

const COLUMNS: readonly Column[] = [
  { title: 'run' },
  { title: 'agent' },
  { title: 'outcome' },
  { title: 'started', dropOrder: 3 },
  { title: 'took', align: 'right', dropOrder: 2 },
  { title: 'cost', align: 'right', dropOrder: 1 },
]
/** Maximum width of the message column, and the width that the other columns must leave for it. */
const MESSAGE_WIDTH = { max: 40, min: 16 }
/** Length of `run_` and eight digits. */
const SHORT_ID = 12

/**
 * Returns a table of runs. With `columns`, ids are shortened, messages cut and less important columns removed
 * to fit the terminal.
 */
export function runTable(
  runs: readonly StoredRunSummary[],
  { style, columns }: { readonly style: Style; readonly columns?: number | undefined },
): readonly string[] {
  if (runs.length === 0) return [style.dim('no runs')]
  const ids = runs.map((run) => run.runId)
  const length = columns === undefined ? undefined : shortLength(ids)
  const rows = runs.map((run) => cellsOf(run, { style, length }))
  const table = fitTable(
    { columns: COLUMNS, rows },
    columns === undefined ? undefined : columns - MESSAGE_WIDTH.min,
  )
  const messageWidth =
    columns === undefined ? MESSAGE_WIDTH.max : Math.min(MESSAGE_WIDTH.max, columns - tableWidth(table) - 3)
  const [titles = '', ...lines] =
    messageWidth < MESSAGE_WIDTH.min / 2
      ? tableLines(table.columns, table.rows)
      : tableLines(
          [...table.columns, { title: 'message' }],
          table.rows.map((cells, index) => [
            ...cells,
            plainText(runs[index]?.input ?? '', { max: messageWidth }),
          ]),
        )
  return [style.dim(titles), ...lines]
}

function cellsOf(
  run: StoredRunSummary,
  { style, length }: { readonly style: Style; readonly length: number | undefined },
): readonly string[] {
  const startTime = new Date(run.startedAt).toISOString().slice(0, length === undefined ? 19 : 16)
  return [
    run.runId.slice(0, length),
    plainText(run.agent) || '–',
    stateText(run.state, style),
    startTime.replace('T', ' '),
    // An interrupted run has no end; its duration is that up to its last event.
    run.durationMs === undefined || run.state === 'interrupted' ? '–' : formatDuration(run.durationMs),
    run.cost === undefined ? '–' : formatCost(run.cost),
  ]
}

/** Returns the length to which ids can be cut without becoming ambiguous, at least `SHORT_ID`. */
function shortLength(ids: readonly string[]): number {
  let length = SHORT_ID
  while (new Set(ids.map((id) => id.slice(0, length))).size < new Set(ids).size) length += 1
  return length
}
