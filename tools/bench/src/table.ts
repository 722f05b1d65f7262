import { median } from './median.ts'
import { UNITS, type Row } from './rows.ts'
import type { Round } from './run-row.ts'

/** A row and its rounds. */
export interface Result {
  readonly row: Row
  readonly rounds: readonly Round[]
}

/** One line of the table: Troupe compared with one peer, or with a limit. */
export interface Line {
  readonly cells: readonly string[]
  readonly isPassed: boolean
}

const HEAD = ['row', 'unit', 'Troupe', 'compared with', 'peer', 'ratio', 'gate', 'result']

/** Returns the lines of a row. Values are medians of the rounds; ranges are the smallest and largest of a round. */
export function toLines({ row, rounds }: Result): readonly Line[] {
  const divisor = UNITS[row.unit]
  const own = rounds.map(({ troupe }) => troupe / divisor)
  const start = [row.name, row.unit, format(median(own))]
  const lines = row.peers.map(({ label, gate }, index): Line => {
    const theirs = rounds.map(({ peers }) => (peers[index] ?? Number.NaN) / divisor)
    const ratio = median(own) / median(theirs)
    const ratios = own.map((value, round) => value / (theirs[round] ?? Number.NaN))
    const cells = [...start, label, format(median(theirs)), `${format(ratio)} ${formatRange(ratios)}`]
    if (gate === undefined) return { cells: [...cells, '', ''], isPassed: true }
    const isPassed = ratio <= gate
    return { cells: [...cells, `≤ ${gate}`, toResult(isPassed)], isPassed }
  })
  if (row.limit === undefined) return lines
  const isPassed = median(own) <= row.limit
  const cells = ['', '', formatRange(own), `≤ ${row.limit} ${row.unit}`, toResult(isPassed)]
  return [{ cells: [...start, ...cells], isPassed }, ...lines]
}

/** Returns the lines as a Markdown table. */
export function toTable(lines: readonly Line[]): string {
  const toText = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [toText(HEAD), toText(HEAD.map(() => '---')), ...lines.map(({ cells }) => toText(cells))].join('\n')
}

function toResult(isPassed: boolean): string {
  return isPassed ? 'pass' : '**fail**'
}

function formatRange(values: readonly number[]): string {
  return `(${format(Math.min(...values))}–${format(Math.max(...values))})`
}

function format(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0)
  if (Math.abs(value) >= 10) return value.toFixed(1)
  return Math.abs(value) >= 1 ? value.toFixed(2) : value.toFixed(3)
}
