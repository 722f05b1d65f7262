import { alignRuns } from '@troupe/timeline'
import { comparisonJson, comparisonLines } from '../reporter/run-comparison.ts'
import { printDamage } from '../reporter/end.ts'
import { timelineOf } from '../reporter/run-blocks.ts'
import { findRootRun, withRuns, type StoreOptions } from '../run-store/open-store.ts'
import { readableEvents } from '../run-store/run-summary.ts'
import type { CommandContext } from '../terminal/context.ts'

/**
 * Runs `troupe runs compare A B`: prints the calls in which two runs differ, and the changes of tokens, cost and
 * time. Resolves with the exit code.
 */
export function runsCompareCommand(
  { left, right }: { readonly left: string; readonly right: string },
  options: StoreOptions & { readonly json?: boolean },
  context: CommandContext,
): Promise<number> {
  const { stdout, outStyle: style } = context.terminal
  return withRuns(options, context, async (store) => {
    const one = await findRootRun(store, left)
    const other = await findRootRun(store, right)
    const before = await readableEvents(store, one.rootRunId)
    const after = await readableEvents(store, other.rootRunId)
    const comparison = alignRuns(timelineOf(before.events), timelineOf(after.events))
    const ids = { left: one.rootRunId, right: other.rootRunId }
    const columns = stdout.isTTY === true ? stdout.columns : undefined
    if (options.json === true) stdout.write(`${JSON.stringify(comparisonJson(comparison, ids), null, 2)}\n`)
    else for (const line of comparisonLines(comparison, ids, { style, columns })) stdout.write(`${line}\n`)
    return printDamage(before.damage ?? after.damage, context)
  })
}
