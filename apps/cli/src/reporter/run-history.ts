import {
  contentText,
  failureText,
  formatDuration,
  historyOf,
  plainText,
  type CallView,
  type HistoryCall,
  type HistoryRun,
  type ShorteningView,
  type Timeline,
  type Accounts,
  type InstanceAccount,
} from '@troupe/timeline'
import type { Style } from '../terminal/terminal.ts'
import { OUTCOME_LOOKS } from './outcomes.ts'
import { fitTable, tableLines, type Column } from './table.ts'

/** Maximum length of a section in characters. */
const SECTION = 2000

/**
 * Returns the calls of every run: one `tool->` and one `result->` section per call, with the child runs of
 * the call between them. Parallel child runs are listed one after the other.
 */
export function historyLines(timeline: Timeline, style: Style): readonly string[] {
  return historyOf(timeline).flatMap((run) => runLines(run, { indent: 0, style }))
}

interface HistoryFormat {
  readonly indent: number
  readonly style: Style
}

function runLines({ run, calls }: HistoryRun, { indent, style }: HistoryFormat): readonly string[] {
  const name = style.bold(plainText(run.instance))
  const head = `${name}  ${endOf(run, style)}`
  const format = { indent: indent + 1, style }
  const before = (turn: number, after = 0): readonly string[] =>
    run.shortenings
      .filter((shortening) => shortening.turn <= turn && shortening.turn > after)
      .map((shortening) => shorteningLine(shortening, format))
  const lines = calls.flatMap((call, index) => [
    ...before(call.call.turn, calls[index - 1]?.call.turn),
    ...callLines(call, format),
  ])
  return [line(indent, head), ...lines, ...before(Infinity, calls.at(-1)?.call.turn)]
}

/** Returns the line about messages that were removed from the context at this turn. */
function shorteningLine(
  { droppedMessages, trimmedResults, summary }: ShorteningView,
  { indent, style }: HistoryFormat,
): string {
  const what = [
    ...(droppedMessages === 0 ? [] : [`${droppedMessages} messages`]),
    ...(trimmedResults === 0 ? [] : [`${trimmedResults} results`]),
  ].join(' and ')
  const said = summary === undefined ? '' : `: ${text(summary)}`
  return line(indent, `${style.cyan('dropped->')} ${what}${said}`)
}

function callLines({ call, label, runs }: HistoryCall, { indent, style }: HistoryFormat): readonly string[] {
  const name = plainText(label)
  return [
    line(indent, `${style.cyan('tool->')} ${name} ${text(JSON.stringify(call.args))}`),
    ...runs.flatMap((run) => runLines(run, { indent: indent + 1, style })),
    line(indent, `${style.cyan('result->')} ${name} ${endOf(call, style)}${resultText(call)}`),
  ]
}

function endOf({ outcome, durationMs }: Pick<CallView, 'outcome' | 'durationMs'>, style: Style): string {
  if (outcome === undefined) return style.dim('not ended')
  const { word, color } = OUTCOME_LOOKS[outcome]
  const time = durationMs === undefined ? '' : style.dim(` (${formatDuration(durationMs)})`)
  return `${style[color](word)}${time}`
}

function resultText({ error, content }: CallView): string {
  if (error !== undefined) return `: ${text(failureText(error))}`
  return content === undefined ? '' : `: ${text(contentText(content))}`
}

function text(value: string): string {
  return plainText(value, { max: SECTION })
}

function line(indent: number, content: string): string {
  return `${'  '.repeat(indent)}${content}`
}

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
 * a bar. In an interrupted run, those that did not end have no duration. Usage is listed per agent, see `summaryLines`.
 */
export function instanceLines(
  accounts: Accounts,
  {
    style,
    columns,
    isInterrupted = false,
  }: { readonly style: Style; readonly columns?: number; readonly isInterrupted?: boolean },
): readonly string[] {
  const rows = orderedRows(accounts.byInstance)
  const start = Math.min(...rows.map(({ account }) => account.startedAt))
  const end = Math.max(...rows.map(({ account }) => account.startedAt + (account.durationMs ?? 0)))
  const cells = rows.map((row) => toCells(row, { start, length: Math.max(1, end - start), isInterrupted }))
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
  runTime: { readonly start: number; readonly length: number; readonly isInterrupted: boolean },
): readonly string[] {
  const offset = account.startedAt - runTime.start
  return [
    `${'  '.repeat(depth)}${plainText(account.instance)}`,
    account.outcome === undefined ? 'not ended' : OUTCOME_LOOKS[account.outcome].word,
    formatDuration(offset),
    account.durationMs === undefined || (runTime.isInterrupted && account.outcome === undefined)
      ? '–'
      : formatDuration(account.durationMs),
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
