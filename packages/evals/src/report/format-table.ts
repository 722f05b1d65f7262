import { styleText } from 'node:util'
import { formatCost, formatDuration, plainText } from '@troupe/timeline'
import cliTruncate from 'cli-truncate'
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import type { EvalCaseReport, EvalReport, EvalTotals, EvalVariantReport, EvalVerdict } from './eval-report.ts'
import { caseProblems, type CaseProblem } from './failed-checks.ts'
import { callsText, comparisonText, passedText, rateText, variantName } from './report-text.ts'

/** Options of {@link formatTable}. */
export interface TableOptions {
  /** Width of the terminal in columns. */
  readonly width: number
  /** True to use ANSI colours. */
  readonly color: boolean
}

type Color = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

type Paint = (color: Color, text: string) => string

/** A column with the cell of each row. */
interface CaseColumn {
  readonly title: string
  readonly align: 'left' | 'right'
  cell(row: Row): string
  color?(row: Row): Color | undefined
}

/** A case, or the total. */
interface Row {
  readonly id: string
  readonly totals: EvalTotals
  readonly verdict?: EvalVerdict | undefined
}

/** Widths of the column with the ids: the narrowest, and the widest for which other columns are left out. */
const ID_WIDTH = { min: 8, wanted: 24 }
const GAP = '  '
/** Maximum number of characters of a reason. */
const MAX_REASON = 400

/**
 * Formats a report for a terminal: a table of the cases of each variant, the reasons of failures, and the
 * comparison.
 */
export function formatTable(report: EvalReport, { width, color }: TableOptions): string {
  const paint: Paint = (name, text) => (color ? styleText(name, text, { validateStream: false }) : text)
  const lines = report.variants.flatMap((variant, index) => [
    ...(report.variants.length > 1 ? [paint('bold', plainText(variantName(variant))), ''] : []),
    // the comparison is that of the first variant
    ...tableLines(rowsOf(variant, index === 0 ? report.comparison : undefined), { width, paint }),
    '',
    ...problemLines(variant, { width, paint }),
  ])
  const closing = [
    callsText(report),
    ...(report.comparison === undefined ? [] : [plainText(comparisonText(report.comparison))]),
  ]
  return [...lines, ...closing.flatMap((text) => wrapped(text, { width, indent: '' })), ''].join('\n')
}

function rowsOf({ cases, totals }: EvalVariantReport, comparison: EvalReport['comparison']): readonly Row[] {
  const verdicts = new Map(comparison?.cases.map(({ id, verdict }) => [id, verdict]))
  return [
    ...cases.map((each) => ({ id: each.id, totals: each.totals, verdict: verdicts.get(each.id) })),
    { id: 'total', totals, verdict: comparison?.verdict },
  ]
}

const COLUMNS: readonly CaseColumn[] = [
  { title: 'passed', align: 'right', cell: ({ totals }) => passedText(totals), color: colorOf },
  { title: 'rate (95 %)', align: 'right', cell: ({ totals }) => rateText(totals), color: colorOf },
  { title: 'errors', align: 'right', cell: ({ totals }) => `${totals.errors}`, color: errorColor },
  { title: 'cost', align: 'right', cell: ({ totals }) => costText(totals) },
  { title: 'time', align: 'right', cell: ({ totals }) => formatDuration(totals.usage.durationMs) },
  { title: 'verdict', align: 'left', cell: ({ verdict }) => verdict ?? '', color: verdictColor },
]

function colorOf({ totals: { passed, failed } }: Row): Color | undefined {
  if (failed > 0) return 'red'
  return passed > 0 ? 'green' : undefined
}

function errorColor({ totals }: Row): Color | undefined {
  return totals.errors > 0 ? 'yellow' : undefined
}

function verdictColor({ verdict }: Row): Color | undefined {
  if (verdict === 'better') return 'green'
  return verdict === 'worse' ? 'red' : 'dim'
}

function costText({ usage: { cost } }: EvalTotals): string {
  return cost === null ? '–' : formatCost(cost)
}

function tableLines(
  rows: readonly Row[],
  { width, paint }: { readonly width: number; readonly paint: Paint },
): readonly string[] {
  const needed = COLUMNS.filter(
    ({ title }) =>
      (title !== 'errors' || rows.some(({ totals }) => totals.errors > 0)) &&
      (title !== 'verdict' || rows.some(({ verdict }) => verdict !== undefined)),
  )
  const ids = rows.map(({ id }) => plainText(id))
  const longest = Math.max('case'.length, ...ids.map((id) => stringWidth(id)))
  const { columns, idWidth } = fitColumns(needed, rows, { width, longest })
  const [titles = '', ...lines] = [undefined, ...rows].map((row, index) => {
    const id = row === undefined ? 'case' : (ids[index - 1] ?? '')
    const first = pad(cliTruncate(id, idWidth), idWidth, 'left')
    const cells = columns.map((column) => {
      const text = row === undefined ? column.title : column.cell(row)
      const name = row === undefined ? undefined : column.color?.(row)
      const painted = name === undefined || text === '' ? text : paint(name, text)
      return pad(painted, columnWidth(column, rows), column.align)
    })
    return [first, ...cells].join(GAP).trimEnd()
  })
  return [paint('dim', titles), ...lines]
}

/** Leaves out the time and then the cost if the ids would otherwise be cut too short. */
function fitColumns(
  columns: readonly CaseColumn[],
  rows: readonly Row[],
  { width, longest }: { readonly width: number; readonly longest: number },
): { readonly columns: readonly CaseColumn[]; readonly idWidth: number } {
  const taken = columns.reduce((sum, column) => sum + GAP.length + columnWidth(column, rows), 0)
  const rest = width - taken
  const dropped = ['time', 'cost'].find((title) => columns.some((column) => column.title === title))
  if (rest >= Math.min(longest, ID_WIDTH.wanted) || dropped === undefined)
    return { columns, idWidth: Math.min(longest, Math.max(ID_WIDTH.min, rest)) }
  return fitColumns(
    columns.filter(({ title }) => title !== dropped),
    rows,
    { width, longest },
  )
}

function columnWidth(column: CaseColumn, rows: readonly Row[]): number {
  return Math.max(...[column.title, ...rows.map((row) => column.cell(row))].map((text) => stringWidth(text)))
}

function pad(text: string, width: number, align: CaseColumn['align']): string {
  const fill = ' '.repeat(Math.max(0, width - stringWidth(text)))
  return align === 'right' ? `${fill}${text}` : `${text}${fill}`
}

/** Returns the problems of each case that has any, with a blank line after each case. */
function problemLines(
  { cases }: EvalVariantReport,
  { width, paint }: { readonly width: number; readonly paint: Paint },
): readonly string[] {
  return cases.flatMap((each) => {
    const problems = caseProblems(each)
    if (problems.length === 0) return []
    return [
      paint('bold', plainText(each.id, { max: width })),
      ...problems.flatMap((problem) => linesOf(problem, each, { width, paint })),
      '',
    ]
  })
}

const MARKS: Readonly<Record<CaseProblem['kind'], { readonly mark: string; readonly color: Color }>> = {
  failure: { mark: '✗', color: 'red' },
  error: { mark: '!', color: 'yellow' },
  note: { mark: '·', color: 'dim' },
}

function linesOf(
  { kind, name, message, count }: CaseProblem,
  { repeats }: EvalCaseReport,
  { width, paint }: { readonly width: number; readonly paint: Paint },
): readonly string[] {
  const { mark, color } = MARKS[kind]
  const where = `${count} of ${repeats.length}${kind === 'note' ? ', does not decide' : ''}`
  const reason = message === undefined ? '' : `: ${message}`
  const text = plainText(`${plainText(name, { max: 120 })} (${where})${reason}`, { max: MAX_REASON })
  const [first = '', ...rest] = wrapped(text, { width, indent: '    ' })
  return [`  ${paint(color, mark)} ${first.trimStart()}`, ...rest]
}

/** Wraps a text into indented lines, also within words that are too long. */
function wrapped(
  text: string,
  { width, indent }: { readonly width: number; readonly indent: string },
): readonly string[] {
  return wrapAnsi(text, Math.max(20, width - indent.length), { hard: true })
    .split('\n')
    .map((line) => `${indent}${line}`)
}
