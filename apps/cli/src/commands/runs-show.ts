import {
  accountsAt,
  accountsOf,
  emptyTimeline,
  plainText,
  reduceTimeline,
  type Timeline,
} from '@troupe/timeline'
import { openApprovals, type RunEvent, type RunProblems } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { printFailure } from '../reporter/failure.ts'
import { historyLines } from '../reporter/history-lines.ts'
import { instanceLines } from '../reporter/instance-lines.ts'
import { runProblemLines } from '../reporter/run-problems.ts'
import { stateText } from '../reporter/run-state.ts'
import { summaryLines } from '../reporter/summary.ts'
import { waitingLines } from '../reporter/waiting.ts'
import { forkOrigin, type ForkOrigin } from '../run-store/fork-origin.ts'
import { readableEvents } from '../run-store/readable-events.ts'
import { summarise, type StoredRunSummary } from '../run-store/run-summary.ts'
import type { StoreOptions } from '../run-store/store-file.ts'
import { printDamage } from '../run-store/print-damage.ts'
import { withRun } from '../run-store/with-run.ts'

/** Runs `troupe runs show RUN`: prints the calls, results and cost of a run. */
export function runsShowCommand(
  given: string,
  options: StoreOptions & { readonly json?: boolean },
  context: CommandContext,
): Promise<number> {
  const { stdout } = context.terminal
  return withRun(given, { options, context }, async (root, store) => {
    const summary = await summarise(store, root)
    const { events, damage } = await readableEvents(store, root.rootRunId)
    const origin = await forkOrigin(store, root.rootRunId)
    const last = events.findLast((event) => event.type === 'run-end' && event.depth === 0)
    if (options.json === true) {
      const { total, byAgent, byInstance } = accountsOf(events)
      const end =
        last?.type === 'run-end' ? { output: last.output, error: last.error, ...problemsOf(last) } : {}
      stdout.write(
        `${JSON.stringify({ ...summary, forkOf: origin, ...end, total, byAgent, byInstance }, null, 2)}\n`,
      )
    } else if (summary !== undefined) {
      for (const block of runBlocks(summary, { ...options, events, origin }, context))
        stdout.write(`${block.join('\n')}\n\n`)
      if (last?.type === 'run-end') {
        const lines = runProblemLines(problemsOf(last), context.terminal.outStyle)
        if (lines.length > 0) stdout.write(`${lines.join('\n')}\n\n`)
        stdout.write(`${plainText(last.output.text ?? '', { lines: true })}\n`)
        if (last.error !== undefined) printFailure(last.error, context.terminal)
      }
    }
    return printDamage(damage, context)
  })
}

export function timelineOf(events: readonly RunEvent[]): Timeline {
  return events.reduce(reduceTimeline, emptyTimeline())
}

/** Returns a run as blocks of lines: header, open approvals, history, agents and totals. */
export function runBlocks(
  run: StoredRunSummary,
  {
    events,
    store,
    origin,
  }: StoreOptions & { readonly events: readonly RunEvent[]; readonly origin?: ForkOrigin | undefined },
  { terminal, clock }: CommandContext,
): readonly (readonly string[])[] {
  const { stdout, outStyle: style } = terminal
  const format =
    stdout.isTTY === true && stdout.columns !== undefined ? { style, columns: stdout.columns } : { style }
  const durationMs = run.durationMs ?? clock.now() - run.startedAt
  const accounts = accountsAt(accountsOf(events), run.startedAt + durationMs)
  return [
    headLines(run, origin, style),
    ...(run.state === 'waiting' ? [waitingLines(openApprovals(events), { store, style })] : []),
    historyLines(timelineOf(events), style),
    instanceLines(accounts, format),
    summaryLines(accounts, { durationMs, ...activeTime(run), ...format }),
  ]
}

function activeTime({ activeMs }: StoredRunSummary): { readonly activeMs?: number } {
  return activeMs === undefined ? {} : { activeMs }
}

function problemsOf({
  problems = [],
  problemCount = 0,
}: Extract<RunEvent, { readonly type: 'run-end' }>): RunProblems {
  return { problems, problemCount }
}

function headLines(
  run: StoredRunSummary,
  origin: ForkOrigin | undefined,
  style: Parameters<typeof stateText>[1],
): readonly string[] {
  const { owner } = run
  return [
    `${style.bold(plainText(run.agent))} ${run.runId}  ${stateText(run.state, style)}`,
    `${style.dim('started')} ${new Date(run.startedAt).toISOString()}`,
    ...(origin === undefined ? [] : [originLine(origin, style)]),
    ...(owner === undefined ? [] : [`${style.dim('by')} process ${owner.pid} on ${plainText(owner.host)}`]),
    ...(run.state === 'interrupted' && run.detail === 'full'
      ? [`${style.dim('go on')} troupe run --resume ${run.runId}`]
      : []),
    ...(run.input === '' ? [] : [`${style.dim('message')} ${plainText(run.input, { max: 500 })}`]),
  ]
}

function originLine({ runId, at }: ForkOrigin, style: Parameters<typeof stateText>[1]): string {
  return `${style.dim('forked from')} ${plainText(runId)} at ${plainText(at)}`
}
