import { NO_USAGE, type RunEvent } from '@troupe/schema'
import { correlationId, type TimelineRun, type Timeline } from './view.ts'
import { reduceRun } from './reduce-run.ts'

/**
 * Returns the timeline after one more event. Pure: unchanged parts are shared, and an event that changes
 * nothing returns the same timeline. Durable events that are already included are ignored, so stored and live
 * events may overlap. Events of other run trees and of runs whose start was not seen are ignored too.
 */
export function reduceTimeline(timeline: Timeline, event: RunEvent): Timeline {
  return reduceTimelineEvents(timeline, [event])
}

/**
 * Returns the timeline after more events, as {@link reduceTimeline} would for each. The lists of runs are copied at most
 * once, so that the time for a large history grows with its events only.
 */
export function reduceTimelineEvents(timeline: Timeline, events: Iterable<RunEvent>): Timeline {
  const draft = new TimelineDraft(timeline)
  for (const event of events) draft.add(event)
  return draft.finish()
}

/** A timeline that is being changed. Its lists belong to the original until they are first changed. */
class TimelineDraft {
  readonly #original: Timeline
  #rootRunId: string | undefined
  #seq: number
  #runs: TimelineRun[] | undefined
  #runIndexes: Map<string, number> | undefined

  constructor(original: Timeline) {
    this.#original = original
    this.#rootRunId = original.rootRunId
    this.#seq = original.seq
  }

  add(event: RunEvent): void {
    if (this.#rootRunId !== undefined && this.#rootRunId !== event.rootRunId) return
    if (event.seq !== undefined && event.seq <= this.#seq) return
    if (event.type === 'run-start') this.#addRun(event)
    else this.#changeRun(event.runId, (run) => reduceRun(run, event))
    if (event.seq === undefined) return
    this.#rootRunId = event.rootRunId
    this.#seq = event.seq
  }

  finish(): Timeline {
    const { rootRunId, seq, runs, runIndexes } = this.#original
    const isUnchanged = this.#runs === undefined && this.#seq === seq && this.#rootRunId === rootRunId
    if (isUnchanged) return this.#original
    return {
      rootRunId: this.#rootRunId,
      seq: this.#seq,
      runs: this.#runs ?? runs,
      runIndexes: this.#runIndexes ?? runIndexes,
    }
  }

  #addRun(event: Extract<RunEvent, { readonly type: 'run-start' }>): void {
    const { runId, rootRunId, parentRunId, callId } = event
    if ((this.#runIndexes ?? this.#original.runIndexes).has(runId)) return
    if (parentRunId !== undefined && callId !== undefined)
      this.#changeRun(parentRunId, (parent) => linkToCall(parent, { callId, runId }))
    this.#rootRunId = rootRunId
    this.#runs ??= [...this.#original.runs]
    this.#runIndexes ??= new Map(this.#original.runIndexes)
    this.#runIndexes.set(runId, this.#runs.length)
    this.#runs.push(startRun(event))
  }

  #changeRun(runId: string, change: (run: TimelineRun) => TimelineRun): void {
    const index = (this.#runIndexes ?? this.#original.runIndexes).get(runId)
    if (index === undefined) return
    const run = (this.#runs ?? this.#original.runs)[index]
    if (run === undefined) return
    const changed = change(run)
    if (changed === run) return
    this.#runs ??= [...this.#original.runs]
    this.#runs[index] = changed
  }
}

/** Sets `childRunId` of the parent's call that opened the run. */
function linkToCall(
  parent: TimelineRun,
  { callId, runId }: { readonly callId: string; readonly runId: string },
): TimelineRun {
  const id = correlationId(parent.runId, callId)
  return {
    ...parent,
    calls: parent.calls.map((call) => (call.correlationId === id ? { ...call, childRunId: runId } : call)),
  }
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
