import { accountsAt } from '@troupe/timeline'
import { historyLines, instanceLines } from '../reporter/run-history.ts'
import { summaryLines } from '../reporter/summary.ts'
import type { CommandContext } from '../terminal/context.ts'
import type { Output } from '../terminal/terminal.ts'
import type { WatchedRun } from './watch-run.ts'

/**
 * Prints the usage of a run on stderr, after its history if it was recorded. Prints nothing for a run that
 * called neither a model nor a tool.
 */
export function printTables({ report, accounts, timeline }: WatchedRun, { terminal }: CommandContext): void {
  const { modelCalls, toolCalls } = accounts.total
  if (modelCalls === 0 && toolCalls === 0) return
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
