import type { RunEvent, RunProblems } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { accountsOf, plainText } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { printDamage, printFailure, runProblemLines } from '../reporter/end.ts'
import { runBlocks, timelineOf } from '../reporter/run-blocks.ts'
import { forkOrigin, isDamage, readableEvents, summarise } from '../run-store/run-summary.ts'
import { type StoreOptions, withRun } from '../run-store/open-store.ts'
import { readOrigin } from '../team/run-note.ts'
import { wrapText } from '../terminal/wrap.ts'

/**
 * Runs `troupe runs show RUN`: shows the calls, results and cost of a run, on a terminal as a tree to browse,
 * elsewhere and with `--plain` as text.
 */
export function runsShowCommand(
  run: string,
  options: StoreOptions & { readonly json?: boolean; readonly plain?: boolean },
  context: CommandContext,
): Promise<number> {
  const { stdout } = context.terminal
  return withRun(run, { options, context }, async (root, store) => {
    const summary = await summarise(store, root)
    const { events, damage } = await readableEvents(store, root.rootRunId)
    const origin = await forkOrigin(store, root.rootRunId)
    const last = events.findLast((event) => event.type === 'run-end' && event.depth === 0)
    const { interactive, animated } = context.terminal
    const browses = interactive && animated && stdout.isTTY === true && options.plain !== true
    if (browses && options.json !== true && events.length > 0) {
      const { browseRun } = await import('../reporter/browse-run.ts')
      await browseRun(timelineOf(events), context)
      return context.stop.exitCode ?? printDamage(damage, context)
    }
    if (options.json === true) {
      const { total, byAgent, byInstance } = accountsOf(events)
      const end =
        last?.type === 'run-end' ? { output: last.output, error: last.error, ...problemsOf(last) } : {}
      stdout.write(
        `${JSON.stringify({ ...summary, forkOf: origin, ...end, total, byAgent, byInstance }, null, 2)}\n`,
      )
    } else if (summary !== undefined) {
      const knowsCards = await hasCards(store, root.rootRunId)
      for (const block of runBlocks(summary, { ...options, events, origin, knowsCards }, context))
        stdout.write(`${block.join('\n')}\n\n`)
      if (last?.type === 'run-end') {
        const lines = runProblemLines(problemsOf(last), context.terminal.outStyle)
        if (lines.length > 0) stdout.write(`${wrapText(lines.join('\n'), stdout)}\n\n`)
        stdout.write(`${plainText(last.output.text ?? '', { lines: true })}\n`)
        if (last.error !== undefined) printFailure(last.error, context.terminal)
      }
    }
    return printDamage(damage, context)
  })
}

/** Returns true if the run can be resumed without naming its cards, as far as its steps can be read. */
async function hasCards(store: RunStore, rootRunId: string): Promise<boolean> {
  try {
    return (await readOrigin(store, rootRunId)).note !== undefined
  } catch (thrown) {
    if (isDamage(thrown)) return false
    throw thrown
  }
}

function problemsOf({
  problems = [],
  problemCount = 0,
}: Extract<RunEvent, { readonly type: 'run-end' }>): RunProblems {
  return { problems, problemCount }
}
