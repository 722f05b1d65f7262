import { NO_USAGE, type RunEvent } from '@troupe/schema'
import { correlationId, findRun, type TimelineRun, type Timeline } from './view.ts'
import { reduceRun } from './reduce-run.ts'

/**
 * Returns the timeline after one more event. Pure: unchanged parts are shared, and an event that changes
 * nothing returns the same timeline. Durable events that are already included are ignored, so stored and live
 * events may overlap. Events of other run trees and of runs whose start was not seen are ignored too.
 */
export function reduceTimeline(timeline: Timeline, event: RunEvent): Timeline {
  if (timeline.rootRunId !== undefined && timeline.rootRunId !== event.rootRunId) return timeline
  if (event.seq !== undefined && event.seq <= timeline.seq) return timeline
  const changed = event.type === 'run-start' ? addRun(timeline, event) : changeRun(timeline, event)
  if (event.seq === undefined) return changed
  return { ...changed, rootRunId: event.rootRunId, seq: event.seq }
}

function addRun(timeline: Timeline, event: Extract<RunEvent, { readonly type: 'run-start' }>): Timeline {
  if (timeline.runIndexes.has(event.runId)) return timeline
  const linked = linkToCall(timeline, event)
  return {
    ...linked,
    rootRunId: event.rootRunId,
    runs: [...linked.runs, startRun(event)],
    runIndexes: new Map(linked.runIndexes).set(event.runId, linked.runs.length),
  }
}

/** Sets `childRunId` of the parent's call that opened the run. */
function linkToCall(timeline: Timeline, { parentRunId, callId, runId }: RunEvent): Timeline {
  const parent = parentRunId === undefined ? undefined : findRun(timeline, parentRunId)
  if (parent === undefined || callId === undefined) return timeline
  const id = correlationId(parent.runId, callId)
  return replaceRun(timeline, {
    ...parent,
    calls: parent.calls.map((call) => (call.correlationId === id ? { ...call, childRunId: runId } : call)),
  })
}

function changeRun(timeline: Timeline, event: RunEvent): Timeline {
  const run = findRun(timeline, event.runId)
  return run === undefined ? timeline : replaceRun(timeline, reduceRun(run, event))
}

function replaceRun(timeline: Timeline, run: TimelineRun): Timeline {
  const index = timeline.runIndexes.get(run.runId)
  if (index === undefined || timeline.runs[index] === run) return timeline
  return { ...timeline, runs: timeline.runs.with(index, run) }
}

/** Creates the view state of a run that has just started. */
function startRun(event: Extract<RunEvent, { readonly type: 'run-start' }>): TimelineRun {
  return {
    runId: event.runId,
    ...(event.parentRunId === undefined ? {} : { parentRunId: event.parentRunId }),
    ...(event.callId === undefined ? {} : { callId: event.callId }),
    agent: event.agent,
    instance: event.instance,
    depth: event.depth,
    state: 'running',
    activity: 'starting',
    input: event.input,
    model: event.model[0] ?? '',
    turn: 0,
    calls: [],
    approvals: [],
    text: '',
    usage: NO_USAGE,
    startedAt: event.time,
    shortenings: [],
    warnings: [],
    logs: [],
    maxInstances: event.maxInstances,
    blockStart: 0,
  }
}
