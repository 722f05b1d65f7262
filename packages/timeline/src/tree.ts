import type { Outcome } from '@troupe/schema'
import type { CallView, TimelineRun, Timeline } from './view.ts'
import { toolLabel } from './format.ts'

/** One row of a panel. `indent` is 0 for the root run. */
export type TimelineRow =
  | { readonly kind: 'run'; readonly indent: number; readonly run: TimelineRun }
  /** A call that waits for a slot. Its child run has not started. */
  | { readonly kind: 'queued'; readonly indent: number; readonly call: CallView }
  /** The hidden children: `done` of them have ended, `failed` and `cancelled` of those without an answer. */
  | {
      readonly kind: 'more'
      readonly indent: number
      readonly count: number
      readonly done: number
      readonly failed: number
      readonly cancelled: number
    }

const NOT_FAILED: ReadonlySet<Outcome> = new Set(['completed', 'partial', 'cancelled'])

/** The children of a run with the same agent, as one row of {@link toFoldedRows}. */
export interface TimelineGroup {
  readonly kind: 'group'
  readonly indent: number
  readonly agent: string
  /** Children that have started, in call order. */
  readonly runs: readonly TimelineRun[]
  /** Number of calls that wait for a slot. */
  readonly queued: number
  /** Cost of the children and everything below them, in millionths of a USD. */
  readonly micros: number
}

type TimelineChildRow = Extract<TimelineRow, { readonly kind: 'run' | 'queued' }>

/** Number of children of one agent from which they are folded. */
const FOLD_FROM = 5

/** Returns the child runs of a run in call order. A child without a call comes last. */
export function childrenOf(timeline: Timeline, runId: string): readonly TimelineRun[] {
  return childrenByParent(timeline).get(runId) ?? []
}

/**
 * Returns the rows of a panel: each run, and below it its children in call order. Ended runs keep their rows.
 * If a run has more children than its `maxInstances`, the active ones are kept, then failed ones, then the
 * earliest, and one more row counts the rest.
 */
export function toRows(timeline: Timeline): readonly TimelineRow[] {
  return rowsOf(timeline, Infinity).filter((row) => row.kind !== 'group')
}

/**
 * Returns the rows of {@link toRows}, but folds five or more children of a run with the same agent into a group.
 * Below the group are its active children.
 */
export function toFoldedRows(timeline: Timeline): readonly (TimelineRow | TimelineGroup)[] {
  return rowsOf(timeline, FOLD_FROM)
}

/** The rows so far, and the data to add more. */
interface RowBuilder {
  readonly rows: (TimelineRow | TimelineGroup)[]
  readonly children: ReadonlyMap<string, readonly TimelineRun[]>
  readonly foldFrom: number
}

function rowsOf(timeline: Timeline, foldFrom: number): readonly (TimelineRow | TimelineGroup)[] {
  const builder: RowBuilder = { rows: [], children: childrenByParent(timeline), foldFrom }
  for (const run of timeline.runs) {
    const hasParent = run.parentRunId !== undefined && timeline.runIndexes.has(run.parentRunId)
    if (!hasParent) addRows({ kind: 'run', indent: 0, run }, builder)
  }
  return builder.rows
}

function addRows(row: TimelineChildRow, builder: RowBuilder): void {
  builder.rows.push(row)
  if (row.kind === 'queued') return
  const { children, foldFrom } = builder
  const indent = row.indent + 1
  const all: readonly TimelineChildRow[] = [
    ...(children.get(row.run.runId) ?? []).map((run) => ({ kind: 'run' as const, indent, run })),
    ...waitingCalls(row.run).map((call) => ({ kind: 'queued' as const, indent, call })),
  ]
  const groups = [...Map.groupBy(all, agentOf)].filter(([, members]) => members.length >= foldFrom)
  for (const [agent, members] of groups) addGroup({ agent, members, max: row.run.maxInstances }, builder)
  const folded = new Set(groups.map(([agent]) => agent))
  const single = all.filter((child) => !folded.has(agentOf(child)))
  const shown = pickShown(single, row.run.maxInstances)
  for (const child of single) if (shown.has(child)) addRows(child, builder)
  const hidden = single.filter((child) => !shown.has(child))
  if (hidden.length > 0) builder.rows.push(countRow(hidden, indent))
}

function addGroup(
  {
    agent,
    members,
    max,
  }: { readonly agent: string; readonly members: readonly TimelineChildRow[]; readonly max: number },
  builder: RowBuilder,
): void {
  const runs = members.flatMap((member) => (member.kind === 'run' ? [member.run] : []))
  builder.rows.push({
    kind: 'group',
    indent: members[0]?.indent ?? 0,
    agent,
    runs,
    queued: members.length - runs.length,
    micros: runs.reduce((sum, run) => sum + microsOf(run, builder.children), 0),
  })
  const active = members.filter((member) => member.kind === 'run' && !isDone(member))
  for (const member of active.slice(0, max)) addRows({ ...member, indent: member.indent + 1 }, builder)
}

/** Returns the cost of a run and everything below it. */
function microsOf(run: TimelineRun, children: RowBuilder['children']): number {
  return (children.get(run.runId) ?? []).reduce(
    (sum, child) => sum + microsOf(child, children),
    run.usage.micros,
  )
}

function agentOf(child: TimelineChildRow): string {
  if (child.kind === 'run') return child.run.agent
  const { childInstance, toolName } = child.call
  return childInstance?.replace(/\[\d+\]$/u, '') ?? toolName
}

function countRow(hidden: readonly TimelineChildRow[], indent: number): TimelineRow {
  const { length: done } = hidden.filter(isDone)
  const { length: failed } = hidden.filter(hasFailed)
  const { length: cancelled } = hidden.filter(wasCancelled)
  return { kind: 'more', indent, count: hidden.length, done, failed, cancelled }
}

function pickShown(all: readonly TimelineChildRow[], max: number): ReadonlySet<TimelineChildRow> {
  if (all.length <= max) return new Set(all)
  const active = all.filter((child) => child.kind === 'run' && !isDone(child))
  const failed = all.filter(hasFailed)
  // a Set keeps the position of the first insertion
  return new Set([...new Set([...active, ...failed, ...all])].slice(0, max))
}

function isDone(child: TimelineChildRow): boolean {
  return child.kind === 'run' && child.run.state === 'done'
}

function hasFailed(child: TimelineChildRow): boolean {
  return child.kind === 'run' && isFailedRun(child.run)
}

function wasCancelled(child: TimelineChildRow): boolean {
  return child.kind === 'run' && child.run.outcome === 'cancelled'
}

/** Returns true if a run has ended without an answer, and not because it was cancelled. */
function isFailedRun({ state, outcome = 'failed' }: TimelineRun): boolean {
  return state === 'done' && !NOT_FAILED.has(outcome)
}

/** Numbers of child runs by state, at all depths. */
export interface ChildCounts {
  readonly running: number
  /** Runs that wait for an approval or an answer. */
  readonly waiting: number
  /** Calls that wait for a slot. */
  readonly queued: number
  /** Ended runs, including failed and cancelled ones. */
  readonly done: number
  /** Ended runs without an answer, except cancelled ones. */
  readonly failed: number
  readonly cancelled: number
}

/** Counts the child runs of a timeline. */
export function countChildren({ runs }: Timeline): ChildCounts {
  const counts = { running: 0, waiting: 0, queued: 0, done: 0, failed: 0, cancelled: 0 }
  for (const run of runs) {
    counts.queued += waitingCalls(run).length
    if (run.parentRunId === undefined) continue
    counts[run.state] += 1
    if (isFailedRun(run)) counts.failed += 1
    if (run.outcome === 'cancelled') counts.cancelled += 1
  }
  return counts
}

function waitingCalls(run: TimelineRun): readonly CallView[] {
  return run.calls.filter(
    (call) => call.source === 'agent' && call.state === 'queued' && call.childRunId === undefined,
  )
}

/** Returns all {@link childrenOf} by the id of the parent. */
export function childrenByParent(timeline: Timeline): ReadonlyMap<string, readonly TimelineRun[]> {
  const children = new Map<string, TimelineRun[]>()
  for (const run of timeline.runs) {
    if (run.parentRunId === undefined) continue
    const siblings = children.get(run.parentRunId)
    if (siblings === undefined) children.set(run.parentRunId, [run])
    else siblings.push(run)
  }
  for (const [runId, siblings] of children) {
    const index = timeline.runIndexes.get(runId)
    const order = index === undefined ? [] : (timeline.runs[index]?.calls.map((call) => call.callId) ?? [])
    const rank = new Map(order.map((callId, index) => [callId, index]))
    siblings.sort((a, b) => rankOf(rank, a) - rankOf(rank, b))
  }
  return children
}

function rankOf(rank: ReadonlyMap<string, number>, run: TimelineRun): number {
  return (run.callId === undefined ? undefined : rank.get(run.callId)) ?? rank.size
}

/** A run and its calls, in call order. */
export interface HistoryRun {
  readonly run: TimelineRun
  readonly calls: readonly HistoryCall[]
}

/**
 * One tool call. Its `tool->` and `result->` sections are `call.args` and `call.content`. The child runs of
 * the call are nested in it, so all rows of one correlation id and instance are together, whatever the order
 * of the events.
 */
export interface HistoryCall {
  readonly call: CallView
  /** `agent__NAME[i]` if the tool is an agent, else the canonical name of the tool. */
  readonly label: string
  /**
   * The child runs that the call opened: one, more if a hook repeated it, none if the tool is not an agent.
   */
  readonly runs: readonly HistoryRun[]
}

/**
 * Returns the top runs of a timeline with everything below them. Interleaved events of parallel children are
 * grouped by child.
 */
export function historyOf(timeline: Timeline): readonly HistoryRun[] {
  const children = childrenByParent(timeline)
  return timeline.runs
    .filter((run) => run.parentRunId === undefined || !timeline.runIndexes.has(run.parentRunId))
    .map((run) => historyOfRun(run, children))
}

function historyOfRun(run: TimelineRun, children: ReadonlyMap<string, readonly TimelineRun[]>): HistoryRun {
  const own = Map.groupBy(children.get(run.runId) ?? [], ({ callId }) => callId)
  const calls = run.calls.map((call) => ({
    call,
    label: toolLabel(call),
    runs: (own.get(call.callId) ?? []).map((child) => historyOfRun(child, children)),
  }))
  return { run, calls }
}
