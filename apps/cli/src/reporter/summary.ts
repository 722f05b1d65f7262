import type { Usage } from '@troupe/schema'
import { formatCost, formatDuration, formatTokens, plainText, type Accounts } from '@troupe/timeline'
import type { Style } from '../terminal/terminal.ts'
import { fitTable, tableLines, type Column } from './table.ts'

const COLUMNS: readonly Column[] = [
  { title: 'agent' },
  { title: 'runs', align: 'right', dropOrder: 3 },
  { title: 'model calls', align: 'right', dropOrder: 1 },
  { title: 'tool calls', align: 'right', dropOrder: 2 },
  { title: 'tokens in', align: 'right', dropOrder: 5 },
  { title: 'out', align: 'right', dropOrder: 4 },
  { title: 'cost', align: 'right' },
  { title: 'time', align: 'right' },
]

/**
 * Returns a table of usage with one row per agent, all its instances together, and a total. `durationMs` is
 * the duration of the whole run; `activeMs`, its active part, is printed if it differs. Less important
 * columns are removed to fit into `columns` characters.
 */
export function summaryLines(
  accounts: Accounts,
  {
    durationMs,
    activeMs = durationMs,
    style,
    columns,
  }: {
    readonly durationMs: number
    readonly activeMs?: number
    readonly style: Style
    readonly columns?: number
  },
): readonly string[] {
  const agents = accounts.byAgent.map((row) =>
    toCells(plainText(row.agent), row.runs, row.usage, row.durationMs),
  )
  const runs = accounts.byAgent.reduce((sum, row) => sum + row.runs, 0)
  const total = toCells('total', runs, accounts.total, durationMs)
  const table = fitTable({ columns: COLUMNS, rows: [...agents, total] }, columns)
  const [titles = '', ...lines] = tableLines(table.columns, table.rows)
  const active = formatDuration(activeMs)
  const activeNote = active === formatDuration(durationMs) ? [] : [style.dim(`active ${active}`)]
  return [style.dim(titles), ...lines.slice(0, -1), style.bold(lines.at(-1) ?? ''), ...activeNote]
}

function toCells(name: string, runs: number, usage: Usage, durationMs: number): readonly string[] {
  return [
    name,
    `${runs}`,
    `${usage.modelCalls}`,
    `${usage.toolCalls}`,
    tokens(usage, usage.input),
    tokens(usage, usage.output),
    costOf(usage),
    formatDuration(durationMs),
  ]
}

/** Formats a token count, with `~` if some counts were estimated. */
function tokens(usage: Usage, count: number): string {
  return usage.estimated > 0 ? `~${formatTokens(count)}` : formatTokens(count)
}

/** Formats the cost in USD. */
export function costOf(usage: Usage): string {
  if (usage.modelCalls === 0) return '–'
  return usage.unpriced > 0 ? 'unpriced' : formatCost(usage.micros / 1_000_000)
}
