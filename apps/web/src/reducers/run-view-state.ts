import type { Run as RunDetails } from '@troupe/client'
import { sumUsage, type Outcome, type RunEvent, type Usage } from '@troupe/schema'
import {
  emptyTimeline,
  reduceTimelineEvents,
  type CallView,
  type Timeline,
  type TimelineRun,
} from '@troupe/timeline'
import { reduceSpans, type Spans } from './spans.ts'
import { reduceTranscripts, type Transcripts } from './transcript.ts'

/** The state of a root run in the page, reduced from its events. */
export interface RunViewState {
  readonly timeline: Timeline
  readonly spans: Spans
  readonly transcripts: Transcripts
  /** The persistent events, in order of arrival. */
  readonly events: readonly RunEvent[]
  /** Time of the last event in ms since 1970 if the run was interrupted, that is, no process executes it. */
  readonly interruptedAt?: number
}

/** The state before the first event. */
export const EMPTY_RUN_VIEW_STATE: RunViewState = Object.freeze({
  timeline: emptyTimeline(),
  spans: new Map(),
  transcripts: new Map(),
  events: [],
})

/** The states of a run or a call that have an icon. */
export type DisplayState = Outcome | 'running' | 'queued' | 'waiting' | 'interrupted' | 'damaged'

/**
 * Returns the state after more events. Persistent events that are already included are ignored, so that a
 * stream may restart anywhere.
 */
export function reduceRunViewState(viewState: RunViewState, events: readonly RunEvent[]): RunViewState {
  let { seq: last } = viewState.timeline
  const added = events.filter(({ seq }) => {
    if (seq === undefined) return true
    const isNew = seq > last
    if (isNew) last = seq
    return isNew
  })
  const persistent = added.filter(({ seq }) => seq !== undefined)
  return {
    timeline: reduceTimelineEvents(viewState.timeline, added),
    spans: reduceSpans(viewState.spans, added),
    transcripts: reduceTranscripts(viewState.transcripts, added),
    events: persistent.length === 0 ? viewState.events : [...viewState.events, ...persistent],
  }
}

/**
 * Marks the state as interrupted if the server says so, as no event does. If the page has a newer event than
 * the server's response, the run was resumed.
 */
export function withInterruption(
  viewState: RunViewState,
  details: Pick<RunDetails, 'state' | 'lastSeq'> | undefined,
): RunViewState {
  const last = viewState.events.at(-1)
  if (details?.state !== 'interrupted' || last === undefined || viewState.timeline.seq > details.lastSeq)
    return viewState
  return { ...viewState, interruptedAt: last.time }
}

/** Returns the root run; `undefined` before its first event. */
export function rootOf({ timeline }: RunViewState): TimelineRun | undefined {
  return timeline.runs.find((run) => run.runId === timeline.rootRunId)
}

/**
 * Returns the state of a run. In an interrupted tree, a run that has not ended is interrupted, unless it
 * waits for an approval.
 */
export function runState(
  { state, outcome, approvals }: Pick<TimelineRun, 'state' | 'outcome' | 'approvals'>,
  { interruptedAt }: Pick<RunViewState, 'interruptedAt'>,
): DisplayState {
  if (state === 'done') return outcome ?? 'failed'
  if (interruptedAt !== undefined && approvals.length === 0) return 'interrupted'
  return state
}

/** Returns the state of a call. A call that needs an approval is waiting. */
export function callState(
  call: CallView,
  run: Pick<TimelineRun, 'approvals'>,
  { interruptedAt }: Pick<RunViewState, 'interruptedAt'>,
): DisplayState {
  if (call.state === 'done') return call.outcome ?? 'failed'
  if (callApprovals(call, run).length > 0) return 'waiting'
  return interruptedAt === undefined ? call.state : 'interrupted'
}

/** Returns the open approvals and questions of a call. */
export function callApprovals(
  { callId }: Pick<CallView, 'callId'>,
  { approvals }: Pick<TimelineRun, 'approvals'>,
): TimelineRun['approvals'] {
  return approvals.filter((approval) => approval.callId === callId)
}

/** Returns the usage of all runs in the tree so far. */
export function usageOf({ timeline }: RunViewState): Usage {
  return sumUsage(timeline.runs.map((run) => run.usage))
}
