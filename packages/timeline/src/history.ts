import { toolLabel } from './format.ts'
import { childrenByParent } from './tree.ts'
import type { CallView, TimelineRun, Timeline } from './view.ts'

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
  const own = children.get(run.runId) ?? []
  const calls = run.calls.map((call) => ({
    call,
    label: toolLabel(call),
    runs: own.filter((child) => child.callId === call.callId).map((child) => historyOfRun(child, children)),
  }))
  return { run, calls }
}
