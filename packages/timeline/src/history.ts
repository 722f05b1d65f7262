import { toolLabel } from './tool-label.ts'
import { childrenByParent } from './tree.ts'
import type { CallView, RunView, Timeline } from './view.ts'

/** A run and what it called, in the order called. */
export interface HistoryRun {
  readonly run: RunView
  readonly calls: readonly HistoryCall[]
}

/**
 * One tool call: its `tool->` and `result->` sections are `call.args` and `call.content` (A79). What a child did for it stands inside it, so that all rows of one
 * (correlation id, instance) are together, in whatever order they happened (A92).
 */
export interface HistoryCall {
  readonly call: CallView
  /** `agent__NAME[i]` where the tool is an agent (A80), else the canonical name. */
  readonly label: string
  /** The runs it opened: one, more where a hook repeated it, none where the tool is no agent. */
  readonly runs: readonly HistoryRun[]
}

/** The runs at the top of a timeline with all that happened below them: what parallel children told in turns, child by child. */
export function historyOf(timeline: Timeline): readonly HistoryRun[] {
  const children = childrenByParent(timeline)
  return timeline.runs
    .filter((run) => run.parentRunId === undefined || !timeline.places.has(run.parentRunId))
    .map((run) => historyOfRun(run, children))
}

function historyOfRun(run: RunView, children: ReadonlyMap<string, readonly RunView[]>): HistoryRun {
  const own = children.get(run.runId) ?? []
  const calls = run.calls.map((call) => ({
    call,
    label: toolLabel(call),
    runs: own.filter((child) => child.callId === call.callId).map((child) => historyOfRun(child, children)),
  }))
  return { run, calls }
}
