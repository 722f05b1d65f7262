import { NO_USAGE, sumUsage, type Outcome, type Usage } from '@troupe/schema'
import {
  historyOf,
  type CallView,
  type HistoryCall,
  type HistoryRun,
  type TimelineRun,
} from '@troupe/timeline'
import { callState, runState, type RunViewState, type DisplayState } from '../reducers/run-view-state.ts'
import type { RunSpans } from '../reducers/spans.ts'

/** The kind of activity that a segment shows. */
export type SegmentKind = 'run' | 'model' | 'tool' | 'queue' | 'wait'

/** The outcome of a segment that did not complete. A run that a person stopped is not a failure. */
export type SegmentTone = 'failed' | 'cancelled'

/** A segment of a bar. Times in ms since 1970. */
export interface Segment {
  readonly kind: SegmentKind
  readonly from: number
  readonly to: number
  /** `undefined` if it completed. */
  readonly tone?: SegmentTone
}

interface WaterfallRowBase {
  /** The run id, or the run id and the call id. */
  readonly key: string
  /** Depth in the tree, from 1. */
  readonly level: number
  readonly state: DisplayState
  readonly from: number
  readonly to: number
  readonly segments: readonly Segment[]
}

/** The row of a run. */
export interface RunRow extends WaterfallRowBase {
  readonly kind: 'run'
  readonly run: TimelineRun
  readonly hasRows: boolean
  readonly isOpen: boolean
  /** Usage of the run and its child runs. */
  readonly usage: Usage
}

/** The row of a tool call, or of a call of an agent whose run did not start. */
export interface CallRow extends WaterfallRowBase {
  readonly kind: 'call'
  readonly run: TimelineRun
  readonly call: CallView
  readonly label: string
}

/** A row of the waterfall. */
export type WaterfallRow = RunRow | CallRow

const NO_SPANS: RunSpans = { models: [], calls: [], waits: [] }

/** Returns the key of a call's row. */
export function callKey(runId: string, callId: string): string {
  return `${runId} ${callId}`
}

/**
 * Returns the rows of a run tree. Each run is followed by its calls, unless its id is in `collapsed`. Open
 * rows end at `now`, or at the last event of an interrupted run.
 */
export function waterfallRows(
  viewState: RunViewState,
  { collapsed, now: clock }: { readonly collapsed: ReadonlySet<string>; readonly now: number },
): readonly WaterfallRow[] {
  const now = viewState.interruptedAt ?? clock
  const rows: WaterfallRow[] = []
  const addRun = (history: HistoryRun, level: number): void => {
    const row = runRow(history, { level, viewState, now, isOpen: !collapsed.has(history.run.runId) })
    rows.push(row)
    if (!row.isOpen) return
    for (const call of history.calls) {
      if (call.runs.length === 0)
        rows.push(callRow(call, { run: history.run, level: level + 1, viewState, now }))
      for (const child of call.runs) addRun(child, level + 1)
    }
  }
  for (const root of historyOf(viewState.timeline)) addRun(root, 1)
  return rows
}

function runRow(
  history: HistoryRun,
  {
    level,
    viewState,
    now,
    isOpen,
  }: {
    readonly level: number
    readonly viewState: RunViewState
    readonly now: number
    readonly isOpen: boolean
  },
): RunRow {
  const { run, calls } = history
  const to = run.endedAt ?? Math.max(now, run.startedAt)
  return {
    kind: 'run',
    key: run.runId,
    level,
    run,
    state: runState(run, viewState),
    from: run.startedAt,
    to,
    segments: runSegments(run, { spans: viewState.spans.get(run.runId) ?? NO_SPANS, to }),
    hasRows: calls.length > 0,
    isOpen,
    usage: usageWithin(history),
  }
}

function runSegments(
  run: TimelineRun,
  { spans, to }: { readonly spans: RunSpans; readonly to: number },
): readonly Segment[] {
  const { models, waits, thinkingSince } = spans
  return [
    { kind: 'run', from: run.startedAt, to, ...toneOf(run.outcome) },
    ...models.map(({ from, to: end = to, error }) => ({
      kind: 'model' as const,
      // Calls that a fork took over took no time in the fork.
      from: Math.max(run.startedAt, from),
      to: end,
      ...toneOf(error === undefined ? undefined : error.class === 'cancelled' ? 'cancelled' : 'failed'),
    })),
    ...(thinkingSince === undefined ? [] : [{ kind: 'model' as const, from: thinkingSince, to }]),
    ...waits.map(({ from, to: end = to }) => ({ kind: 'wait' as const, from, to: end })),
  ]
}

function callRow(
  { call, label }: HistoryCall,
  {
    run,
    level,
    viewState,
    now,
  }: {
    readonly run: TimelineRun
    readonly level: number
    readonly viewState: RunViewState
    readonly now: number
  },
): CallRow {
  const span = viewState.spans.get(run.runId)?.calls.findLast(({ callId }) => callId === call.callId)
  const from = span?.from ?? run.startedAt
  const to = span?.to ?? run.endedAt ?? Math.max(now, from)
  const startedAt = span?.startedAt ?? to
  const wait = viewState.spans
    .get(run.runId)
    ?.waits.find((candidate) => candidate.from >= from && candidate.from <= startedAt)
  return {
    kind: 'call',
    key: callKey(run.runId, call.callId),
    level,
    run,
    call,
    label,
    state: callState(call, run, viewState),
    from,
    to,
    segments: [
      { kind: wait === undefined ? 'queue' : 'wait', from, to: startedAt },
      { kind: 'tool', from: startedAt, to, ...toneOf(call.outcome) },
    ],
  }
}

function toneOf(outcome: Outcome | undefined): { readonly tone?: SegmentTone } {
  switch (outcome) {
    case 'failed':
    case 'timeout':
    case 'denied':
      return { tone: 'failed' }
    case 'cancelled':
      return { tone: 'cancelled' }
    default:
      return {}
  }
}

function usageWithin({ run, calls }: HistoryRun): Usage {
  const childUsages = calls.flatMap((call) => call.runs.map(usageWithin))
  return childUsages.length === 0 ? run.usage : sumUsage([run.usage, ...childUsages, NO_USAGE])
}
