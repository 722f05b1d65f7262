import { accountsAt, plainText } from '@troupe/timeline'
import type { CommandContext, LogFormat } from '../terminal/context.ts'
import type { Output, Terminal } from '../terminal/terminal.ts'
import type { WatchedRun } from './watch-run.ts'
import { printAnswer } from '../reporter/answer.ts'
import { printEnd, printReport } from '../reporter/end.ts'
import { historyLines } from '../reporter/history-lines.ts'
import { instanceLines } from '../reporter/instance-lines.ts'
import { failureRecord, writeRecord } from '../reporter/records.ts'
import { problemHead, runProblemLines } from '../reporter/run-problems.ts'
import { summaryLines } from '../reporter/summary.ts'

export interface ResultOptions {
  readonly json?: boolean
  readonly events?: boolean
  readonly quiet?: boolean
  readonly logFormat?: LogFormat
  /** True if problems determine the exit code, so that they are printed even with `quiet`. */
  readonly strict?: boolean
}

/**
 * Prints the answer on stdout, and warnings, history, usage and the error on stderr. Prints nothing if the
 * reader of stdout is gone.
 */
export function printResult(watched: WatchedRun, options: ResultOptions, context: CommandContext): void {
  const { terminal, stop } = context
  if (stop.silent) return
  const { report, drawn } = watched
  const isData = options.json === true || options.events === true
  if (options.json === true) printReport(report, terminal.stdout)
  else if (!isData) printAnswer(report, terminal.stdout, drawn ? terminal.stderr : undefined)
  if (options.logFormat === 'json') return recordEnd(watched, options, context)
  if (options.quiet !== true) {
    for (const text of watched.warnings)
      terminal.stderr.write(`${terminal.style.yellow('warning:')} ${plainText(text)}\n`)
    if (!isData) printTables(watched, context)
  }
  if (options.quiet !== true || options.strict === true) printProblems(watched, options, terminal)
  printEnd(report, terminal)
}

/** Prints the error as a record if `quiet` suppressed the records of the run. */
function recordEnd(
  { report }: WatchedRun,
  { quiet }: ResultOptions,
  { terminal, clock }: CommandContext,
): void {
  if (quiet !== true || report.error === undefined) return
  writeRecord(
    terminal.stderr,
    failureRecord('refusal', report.error, () => clock.now()),
  )
}

/** Prints the problems, or only their number if each was already printed. */
function printProblems({ report, hasLines }: WatchedRun, { quiet }: ResultOptions, terminal: Terminal): void {
  const { stderr, style } = terminal
  if (report.problemCount === 0) return
  const isPrinted = hasLines && quiet !== true
  const lines = isPrinted ? [problemHead(report.problemCount, style)] : runProblemLines(report, style)
  stderr.write(`${lines.join('\n')}\n`)
}

function printTables({ report, accounts, timeline }: WatchedRun, { terminal }: CommandContext): void {
  const { stderr, style } = terminal
  const format = { style, ...widthOf(stderr) }
  const startedAt = accounts.byInstance[0]?.startedAt ?? 0
  const closed = accountsAt(accounts, startedAt + report.durationMs)
  const blocks = [
    ...(timeline === undefined ? [] : [historyLines(timeline, style), instanceLines(closed, format)]),
    summaryLines(closed, { durationMs: report.durationMs, activeMs: report.activeMs, ...format }),
  ]
  for (const lines of blocks) stderr.write(`\n${lines.join('\n')}\n`)
}

function widthOf({ isTTY, columns }: Output): { readonly columns?: number } {
  return isTTY === true && columns !== undefined && columns > 0 ? { columns } : {}
}
