import {
  formatChange,
  formatCost,
  formatDuration,
  formatTokens,
  plainText,
  type AlignedRow,
  type AlignedRuns,
  type AlignedSide,
} from '@troupe/timeline'
import type { Style } from '../terminal/terminal.ts'
import { fitTable, tableLines, type Column } from './table.ts'

/** The ids of the two compared runs. */
interface ComparedRunIds {
  readonly left: string
  readonly right: string
}

const COLUMNS: readonly Column[] = [
  { title: 'call' },
  { title: 'difference' },
  { title: 'arguments', dropOrder: 1 },
  { title: 'Δ tokens', align: 'right', dropOrder: 2 },
  { title: 'Δ cost', align: 'right', dropOrder: 3 },
  { title: 'Δ time', align: 'right', dropOrder: 4 },
]
const MAX_NAME = 40
const MAX_ARGUMENTS = 40

/** Returns the rows in which two runs differ as a table, below it the number of rows by state. */
export function comparisonLines(
  { rows, counts }: AlignedRuns,
  { left, right }: ComparedRunIds,
  { style, columns }: { readonly style: Style; readonly columns: number | undefined },
): readonly string[] {
  const differing = rows.filter(({ state }, index) => state !== 'equal' || index === 0)
  const table = fitTable({ columns: COLUMNS, rows: differing.map(cellsOf) }, columns)
  const [titles = '', ...lines] = tableLines(table.columns, table.rows)
  const { equal, changed, left: removed, right: added } = counts
  return [
    `${style.dim('left')}  ${left}`,
    `${style.dim('right')} ${right}`,
    '',
    style.dim(titles),
    ...lines,
    '',
    `${changed} changed, ${removed} only left, ${added} only right, ${equal} equal`,
  ]
}

function cellsOf(row: AlignedRow): readonly string[] {
  const { depth, left, right } = row
  const shown = right ?? left
  const name = shown === undefined ? '' : nameOf(shown)
  return [
    plainText(`${'  '.repeat(Math.min(depth, 8))}${name}`, { max: MAX_NAME }),
    differenceOf(row),
    shown === undefined ? '' : plainText(argumentsOf(shown), { max: MAX_ARGUMENTS }),
    changeOf(row, tokensOf, formatTokens),
    changeOf(row, costOf, formatCost),
    changeOf(row, ({ durationMs }) => durationMs, formatDuration),
  ]
}

function nameOf({ call, run }: AlignedSide): string {
  return run?.instance ?? call?.childInstance ?? call?.toolName ?? ''
}

function argumentsOf({ call, run }: AlignedSide): string {
  if (call === undefined) return run?.input ?? ''
  const values = Object.values(call.args)
  const [only] = values
  return values.length === 1 && typeof only === 'string' ? only : JSON.stringify(call.args)
}

function differenceOf({ state, differences }: AlignedRow): string {
  if (state === 'changed') return differences.join(', ')
  return state === 'equal' ? 'equal' : `only ${state}`
}

/** Returns the change of a number; a side without the call counts as 0, and `–` means that a number is not known. */
function changeOf(
  { left, right }: AlignedRow,
  numberOf: (side: AlignedSide) => number | undefined,
  format: (value: number) => string,
): string {
  const before = left === undefined ? 0 : numberOf(left)
  const after = right === undefined ? 0 : numberOf(right)
  return before === undefined || after === undefined ? '–' : formatChange(after - before, format)
}

function tokensOf({ usage: { input, output } }: AlignedSide): number {
  return input + output
}

function costOf({ usage: { micros, unpriced } }: AlignedSide): number | undefined {
  return unpriced > 0 ? undefined : micros / 1_000_000
}

/** Returns a comparison as plain JSON, with all rows in which the runs differ. */
export function comparisonJson({ rows, counts }: AlignedRuns, ids: ComparedRunIds): object {
  const [root] = rows
  return {
    ...ids,
    counts,
    totals: { left: root?.left && totalsOf(root.left), right: root?.right && totalsOf(root.right) },
    rows: rows
      .filter(({ state }) => state !== 'equal')
      .map(({ depth, state, differences, left, right }) => ({
        depth,
        state,
        differences,
        left: left && { ...describeSide(left), ...totalsOf(left) },
        right: right && { ...describeSide(right), ...totalsOf(right) },
      })),
  }
}

function totalsOf(side: AlignedSide): object {
  const { usage, durationMs } = side
  const { input, output, modelCalls, toolCalls } = usage
  return {
    inputTokens: input,
    outputTokens: output,
    cost: costOf(side) ?? null,
    modelCalls,
    toolCalls,
    durationMs,
  }
}

function describeSide({ call, run }: AlignedSide): object {
  return {
    runId: run?.runId,
    callId: call?.callId,
    name: run?.instance ?? call?.toolName,
    outcome: (call ?? run)?.outcome,
    model: run?.model,
    args: call?.args,
    input: call === undefined ? run?.input : undefined,
    content: call?.content,
    output: call === undefined ? run?.output : undefined,
    error: (call ?? run)?.error,
  }
}
