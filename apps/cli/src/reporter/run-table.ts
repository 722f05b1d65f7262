import { formatCost, formatDuration, plainText } from '@troupe/timeline'
import type { RunSummary } from '../stored/run-summary.ts'
import type { Style } from '../style.ts'
import { stateText } from './run-state.ts'
import { fitTable, tableLines, type Column } from './table.ts'

const COLUMNS: readonly Column[] = [
  { title: 'run' },
  { title: 'agent' },
  { title: 'outcome' },
  { title: 'started', leaves: 3 },
  { title: 'took', align: 'right', leaves: 4 },
  { title: 'cost', align: 'right', leaves: 2 },
  { title: 'message', leaves: 1 },
]
const MESSAGE = 40

/** Runs as a table. Columns of less weight are left out where there are only `columns` characters. */
export function runTable(
  runs: readonly RunSummary[],
  { style, columns }: { readonly style: Style; readonly columns?: number | undefined },
): readonly string[] {
  if (runs.length === 0) return [style.dim('no runs')]
  const rows = runs.map((run) => [
    run.runId,
    plainText(run.agent) || '–',
    stateText(run.state, style),
    new Date(run.startedAt).toISOString().slice(0, 19).replace('T', ' '),
    run.durationMs === undefined ? '–' : formatDuration(run.durationMs),
    run.cost === undefined ? '–' : formatCost(run.cost),
    plainText(run.input, { max: MESSAGE }),
  ])
  const table = fitTable({ columns: COLUMNS, rows }, columns)
  const [head = '', ...lines] = tableLines(table.columns, table.rows)
  return [style.dim(head), ...lines]
}
