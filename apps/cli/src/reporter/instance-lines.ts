import { formatDuration, plainText, type Accounts, type InstanceAccount } from '@troupe/timeline'
import type { Style } from '../terminal/terminal.ts'
import { OUTCOME_LOOKS } from './outcomes.ts'
import { fitTable, tableLines, type Column } from './table.ts'

/** Width of the longest bar in characters. */
const BAR = 24

const COLUMNS: readonly Column[] = [
  { title: 'instance' },
  { title: 'outcome' },
  { title: 'started', align: 'right', dropOrder: 2 },
  { title: 'took', align: 'right' },
  { title: 'when', dropOrder: 1 },
]

/**
 * Returns one row per run, children below their parent: start relative to the root run, duration, and both as
 * a bar. Usage is listed per agent, see `summaryLines`.
 */
export function instanceLines(
  accounts: Accounts,
  { style, columns }: { readonly style: Style; readonly columns?: number },
): readonly string[] {
  const rows = orderedRows(accounts.byInstance)
  const start = Math.min(...rows.map(({ account }) => account.startedAt))
  const end = Math.max(...rows.map(({ account }) => account.startedAt + (account.durationMs ?? 0)))
  const cells = rows.map((row) => toCells(row, { start, length: Math.max(1, end - start) }))
  const table = fitTable({ columns: COLUMNS, rows: cells }, columns)
  const [titles = '', ...lines] = tableLines(table.columns, table.rows)
  return [style.dim(titles), ...lines]
}

interface InstanceRow {
  readonly depth: number
  readonly account: InstanceAccount
}

/** Returns each run before its children, in order of start. */
function orderedRows(accounts: readonly InstanceAccount[]): readonly InstanceRow[] {
  const known = new Set(accounts.map((account) => account.runId))
  const children = Map.groupBy(accounts, ({ parentRunId }) =>
    parentRunId !== undefined && known.has(parentRunId) ? parentRunId : undefined,
  )
  const rows = (parent: string | undefined, depth: number): readonly InstanceRow[] =>
    (children.get(parent) ?? []).flatMap((account) => [{ depth, account }, ...rows(account.runId, depth + 1)])
  return rows(undefined, 0)
}

function toCells(
  { depth, account }: InstanceRow,
  runTime: { readonly start: number; readonly length: number },
): readonly string[] {
  const offset = account.startedAt - runTime.start
  return [
    `${'  '.repeat(depth)}${plainText(account.instance)}`,
    account.outcome === undefined ? 'not ended' : OUTCOME_LOOKS[account.outcome].word,
    formatDuration(offset),
    account.durationMs === undefined ? '–' : formatDuration(account.durationMs),
    bar(offset / runTime.length, (account.durationMs ?? 0) / runTime.length),
  ]
}

/**
 * Returns a bar that starts at `from` and covers `share` of the width (both 0 to 1), at least one character
 * long.
 */
function bar(from: number, share: number): string {
  const left = Math.min(BAR - 1, Math.floor(from * BAR))
  const length = Math.min(BAR - left, Math.max(1, Math.round(share * BAR)))
  return `${' '.repeat(left)}${'━'.repeat(length)}`
}
