import { formatDuration, formatTokens } from '@troupe/timeline'
import { costOf } from '../reporter/summary.ts'
import type { WatchedRun } from '../watch/watch-run.ts'

/** Returns one line about the duration, calls, tokens and cost of a turn, child runs included. */
export function usageLine({ report, accounts }: Pick<WatchedRun, 'report' | 'accounts'>): string {
  const { total } = accounts
  const children = accounts.byAgent.reduce((sum, { runs }) => sum + runs, 0) - 1
  const mark = total.estimated > 0 ? '~' : ''
  return [
    formatDuration(report.durationMs),
    ...(children > 0 ? [counted(children, 'child run')] : []),
    ...(total.toolCalls > 0 ? [counted(total.toolCalls, 'tool call')] : []),
    `${mark}${formatTokens(total.input)} in, ${mark}${formatTokens(total.output)} out`,
    costOf(total),
  ].join(' · ')
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
