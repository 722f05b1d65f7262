import { addUsage, NO_USAGE, type RunEvent, type Usage } from '@troupe/schema'
import { accountsOf, formatTokens, plainText } from '@troupe/timeline'
import { costOf } from '../reporter/summary.ts'
import { fitTable, tableLines, type Column } from '../reporter/table.ts'
import type { Style } from '../terminal/terminal.ts'

const COLUMNS: readonly Column[] = [
  { title: '' },
  { title: 'model calls', align: 'right', dropOrder: 1 },
  { title: 'tokens in', align: 'right', dropOrder: 3 },
  { title: 'out', align: 'right', dropOrder: 2 },
  { title: 'cost', align: 'right' },
]

/**
 * Returns the usage of several runs per agent and per model, and their total. Less important columns are removed
 * to fit into `columns` characters.
 */
export function costLines(
  runs: readonly (readonly RunEvent[])[],
  { style, columns }: { readonly style: Style; readonly columns?: number | undefined },
): readonly string[] {
  const accounts = runs.map((events) => accountsOf(events))
  const agents = sumBy(
    accounts.flatMap(({ byAgent }) => byAgent.map((row) => [row.agent, row.usage] as const)),
  )
  const models = sumBy(
    accounts.flatMap(({ byAgent }) =>
      byAgent.flatMap((row) => row.models.map(({ model, usage }) => [model, usage] as const)),
    ),
  )
  const total = accounts.reduce((sum, account) => addUsage(sum, account.total), NO_USAGE)
  const rows = [...agents, ...models].map(([name, usage]) => toCells(plainText(name), usage))
  const table = fitTable({ columns: COLUMNS, rows: [...rows, toCells('total', total)] }, columns)
  const [titles = '', ...lines] = tableLines(table.columns, table.rows)
  return [
    style.dim(titles),
    ...lines.slice(0, agents.size),
    ...(models.size === 0 ? [] : [style.dim('by model')]),
    ...lines.slice(agents.size, -1),
    style.bold(lines.at(-1) ?? ''),
  ]
}

function sumBy(rows: readonly (readonly [string, Usage])[]): ReadonlyMap<string, Usage> {
  const sums = new Map<string, Usage>()
  for (const [name, usage] of rows) sums.set(name, addUsage(sums.get(name) ?? NO_USAGE, usage))
  return sums
}

function toCells(name: string, usage: Usage): readonly string[] {
  return [name, `${usage.modelCalls}`, formatTokens(usage.input), formatTokens(usage.output), costOf(usage)]
}
