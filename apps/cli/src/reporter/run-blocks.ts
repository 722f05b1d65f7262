import { openApprovals, type RunEvent } from '@troupe/schema'
import {
  accountsAt,
  accountsOf,
  emptyTimeline,
  plainText,
  reduceTimeline,
  type Timeline,
} from '@troupe/timeline'
import type { ForkOrigin, StoredRunSummary } from '../run-store/run-summary.ts'
import type { StoreOptions } from '../run-store/open-store.ts'
import type { CommandContext } from '../terminal/context.ts'
import { historyLines, instanceLines } from './run-history.ts'
import { stateText } from './outcomes.ts'
import { summaryLines } from './summary.ts'
import { resumeHint, waitingLines } from './waiting.ts'

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
    knowsCards = true,
  }: StoreOptions & {
    readonly events: readonly RunEvent[]
    readonly origin?: ForkOrigin | undefined
    /** False if the cards of the run are not stored with it. Default: true. */
    readonly knowsCards?: boolean
  },
  { terminal, clock, env }: CommandContext,
): readonly (readonly string[])[] {
  const { stdout, outStyle: style } = terminal
  const format =
    stdout.isTTY === true && stdout.columns !== undefined ? { style, columns: stdout.columns } : { style }
  const durationMs = run.durationMs ?? clock.now() - run.startedAt
  const accounts = accountsAt(accountsOf(events), run.startedAt + durationMs)
  return [
    headLines(run, { origin, resume: resumeHint(run.runId, { knowsCards, store, env }) }, style),
    ...(run.state === 'waiting' ? [waitingLines(openApprovals(events), { store, env, style })] : []),
    historyLines(timelineOf(events), style),
    instanceLines(accounts, { ...format, isInterrupted: run.state === 'interrupted' }),
    summaryLines(accounts, { durationMs, ...activeTime(run), ...format }),
  ]
}

function activeTime({ activeMs }: StoredRunSummary): { readonly activeMs?: number } {
  return activeMs === undefined ? {} : { activeMs }
}

function headLines(
  run: StoredRunSummary,
  { origin, resume }: { readonly origin: ForkOrigin | undefined; readonly resume: string },
  style: Parameters<typeof stateText>[1],
): readonly string[] {
  const { owner } = run
  return [
    `${style.bold(plainText(run.agent))} ${run.runId}  ${stateText(run.state, style)}`,
    `${style.dim('started')} ${new Date(run.startedAt).toISOString()}`,
    ...(run.state === 'interrupted' && run.durationMs !== undefined
      ? [`${style.dim('last event')} ${new Date(run.startedAt + run.durationMs).toISOString()}`]
      : []),
    ...(origin === undefined ? [] : [originLine(origin, style)]),
    ...(owner === undefined ? [] : [`${style.dim('by')} process ${owner.pid} on ${plainText(owner.host)}`]),
    ...(run.state === 'interrupted' && run.detail === 'full' ? [`${style.dim('resume')} ${resume}`] : []),
    ...(run.input === '' ? [] : [`${style.dim('message')} ${plainText(run.input, { max: 500 })}`]),
  ]
}

function originLine({ runId, at }: ForkOrigin, style: Parameters<typeof stateText>[1]): string {
  return `${style.dim('forked from')} ${plainText(runId)} at ${plainText(at)}`
}
