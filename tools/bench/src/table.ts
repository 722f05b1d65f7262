import { median } from './median.ts'
import type { Pair } from './run-workload.ts'
import { UNITS, type Workload } from './workloads.ts'

/** A workload and its rounds. */
export interface Row {
  readonly workload: Workload
  readonly pairs: readonly Pair[]
}

/** The rows as a Markdown table: medians, their ratio, and in brackets the smallest and largest ratio of a round. */
export function toTable(rows: readonly Row[]): string {
  return [
    '| workload | unit | ours | base | base is | ratio | goal | |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(toLine),
  ].join('\n')
}

function toLine({ workload, pairs }: Row): string {
  const { name, unit, baseName = '', goal } = workload
  const divisor = UNITS[unit]
  const ours = median(pairs.map((pair) => pair.ours))
  const bases = pairs.flatMap(({ base }) => base ?? [])
  const base = bases.length === 0 ? undefined : median(bases)
  // without a base, what was measured stands for itself
  const judged = ours / (base ?? divisor)
  const each = pairs.map((pair) => pair.ours / (pair.base ?? divisor))
  const spread = `(${digits(Math.min(...each))}–${digits(Math.max(...each))})`
  const cells = [
    name,
    unit,
    digits(ours / divisor),
    base === undefined ? '' : digits(base / divisor),
    baseName,
    base === undefined ? spread : `${digits(judged)} ${spread}`,
    ...(goal === undefined ? ['', ''] : [`≤ ${goal}`, judged <= goal ? 'met' : 'not met']),
  ]
  return `| ${cells.join(' | ')} |`
}

/** Two significant digits for small numbers, whole numbers for large ones. */
function digits(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0)
  if (Math.abs(value) >= 10) return value.toFixed(1)
  return Math.abs(value) >= 1 ? value.toFixed(2) : value.toFixed(3)
}
