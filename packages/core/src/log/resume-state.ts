import type { Clock, Json, RunEvent, EventDraft } from '@troupe/schema'
import type { ResumeState, TimeBeforeResume, RunTreeContext, PersistedRun } from '@troupe/schema/ports'
import type { LoggedRun } from './run-log.ts'
import { redactValues } from '@troupe/env'

/** The stored state of a run tree that is resumed. */
export interface ResumeStateParts {
  readonly events: readonly RunEvent[]
  /** Returns the stored steps of a run. */
  readonly steps: (runId: string) => Promise<ReadonlyMap<string, Json>>
  /** Earlier time spans in which no process worked on the run tree. */
  readonly idle: readonly IdleSpan[]
  readonly clock: Clock
}

/** Groups the stored state of a run tree by run. Times are measured from the moment of this call. */
export function createResumeState({ events, steps, idle, clock }: ResumeStateParts): ResumeState {
  const byRun = Map.groupBy(events, ({ runId }) => runId)
  const parents = new Map(events.map(({ runId, parentRunId }) => [runId, parentRunId]))
  const resumed = new Set<string>()
  const isBelow = (runId: string, ancestorId: string): boolean => {
    for (let id: string | undefined = runId; id !== undefined; id = parents.get(id))
      if (id === ancestorId) return true
    return false
  }
  const eventsBelow = (ancestorId: string): readonly RunEvent[] =>
    events.filter(({ runId }) => isBelow(runId, ancestorId))
  const now = clock.now()
  return {
    runCount: byRun.size,
    last: { seq: events.at(-1)?.seq ?? 0, time: events.at(-1)?.time ?? now },
    resumedAt: clock.monotonic(),
    hasRun: (runId) => byRun.has(runId),
    async readRun(runId) {
      resumed.add(runId)
      const own = byRun.get(runId)
      return own === undefined ? undefined : { events: own, steps: await steps(runId) }
    },
    eventsBelow,
    timeBefore: (runId) =>
      pastTimes(eventsBelow(runId), { runId, idle, stoppedAt: events.at(-1)?.time ?? now, now }),
    abandonedRunStarts: () =>
      Array.from(byRun.values())
        .filter((own) => own.every(({ type, runId }) => type !== 'run-end' && !resumed.has(runId)))
        .flatMap((own) => own.find((event) => event.type === 'run-start') ?? [])
        .toSorted((a, b) => b.depth - a.depth),
  }
}

/** A span of wall time in ms since the epoch. */
interface WallTimeSpan {
  readonly from: number
  readonly to: number
}

/** A span in which no process worked on a run tree: from the last stored event to the resume. */
export type IdleSpan = WallTimeSpan

/**
 * Returns the time that a run had used before its root run was resumed, from the stored events of the run and
 * its descendants. `stoppedAt` is the time of the last stored event of the run tree: activity after it is
 * unknown and does not count.
 */
function pastTimes(
  events: readonly RunEvent[],
  {
    runId,
    idle,
    stoppedAt,
    now,
  }: {
    readonly runId: string
    readonly idle: readonly IdleSpan[]
    readonly stoppedAt: number
    readonly now: number
  },
): TimeBeforeResume | undefined {
  const start = events.find((event) => event.type === 'run-start' && event.runId === runId)
  if (start === undefined) return undefined
  const runSpan = { from: start.time, to: Math.max(start.time, stoppedAt) }
  const inactiveMs = lengthOf(
    [...idle, ...waitsOf(events, runSpan.to)].flatMap((span) => clip(span, runSpan)),
  )
  // the clock of another machine may be behind
  return {
    durationMs: Math.max(0, now - start.time),
    activeMs: Math.max(0, runSpan.to - runSpan.from - inactiveMs),
  }
}

/** Returns the spans spent waiting for human input. Without a decision, a span lasts until `end`. */
function waitsOf(events: readonly RunEvent[], end: number): readonly WallTimeSpan[] {
  const decided = new Map(
    events.flatMap((event) => (event.type === 'approval-result' ? [[event.approvalId, event.time]] : [])),
  )
  return events.flatMap((event) =>
    event.type === 'approval-request' ? [{ from: event.time, to: decided.get(event.approvalId) ?? end }] : [],
  )
}

function clip({ from, to }: WallTimeSpan, limits: WallTimeSpan): readonly WallTimeSpan[] {
  const clipped = { from: Math.max(from, limits.from), to: Math.min(to, limits.to) }
  return clipped.from < clipped.to ? [clipped] : []
}

/** Returns the total time that the spans cover, counting overlaps once. */
function lengthOf(spans: readonly WallTimeSpan[]): number {
  let length = 0
  let covered = -Infinity
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    length += Math.max(0, to - Math.max(from, covered))
    covered = Math.max(covered, to)
  }
  return length
}

/** Wall time in ms since the first start of a run, and the part of it in which the run was active. */
export interface RunTime {
  readonly durationMs: number
  readonly activeMs: number
}

/** Returns the times of a run in progress. `startedAt` is the monotonic time of its start in this process. */
export function runTime(run: LoggedRun, startedAt: number): RunTime {
  const { root, log, request } = run
  const pausedMs = Math.round(run.deadline.paused())
  if (log.journal !== undefined) return timeSince(root, request.runId, pausedMs)
  const durationMs = Math.round(root.clock.monotonic() - startedAt)
  return { durationMs, activeMs: Math.max(0, durationMs - pausedMs) }
}

/**
 * Returns the times of a run that started before its root run was resumed. All runs of the tree measure from
 * the resume on one monotonic clock, so that no run is shorter than its descendants. `pausedMs` is the
 * inactive time since then.
 */
export function timeSince({ resumeState, clock }: RunTreeContext, runId: string, pausedMs: number): RunTime {
  const before = resumeState?.timeBefore(runId) ?? { durationMs: 0, activeMs: 0 }
  const sinceResume = Math.round(clock.monotonic() - (resumeState?.resumedAt ?? clock.monotonic()))
  return {
    durationMs: before.durationMs + sinceResume,
    activeMs: before.activeMs + Math.max(0, sinceResume - pausedMs),
  }
}

/** The stored steps and events of an interrupted run, which the loop uses instead of repeating work. */
export interface Journal {
  /** Returns the value of a step, with its secrets restored. */
  step(key: string): Json | undefined
  /** Returns true if the call was started. If it also ended, there is a `tool:` step. */
  hasStarted(callId: string): boolean
  /** Returns true if the event is already stored. */
  isStored(event: EventDraft): boolean
  /** Events of all model calls that ended. */
  readonly usage: readonly Extract<RunEvent, { readonly type: 'usage' }>[]
}

export function createJournal(
  { steps, events }: PersistedRun,
  { redactor }: Pick<RunTreeContext, 'redactor'>,
): Journal {
  const stored = new Set(events.flatMap((event) => eventKey(event) ?? []))
  const started = new Set(Array.from(steps.keys()).flatMap((key) => START.exec(key)?.[1] ?? []))
  return {
    step(key) {
      const value = steps.get(key)
      return value === undefined || redactor === undefined ? value : redactValues(value, redactor.reveal)
    },
    hasStarted: (callId) => started.has(callId),
    isStored(event) {
      const key = eventKey(event)
      return key !== undefined && stored.has(key)
    },
    usage: events.filter((event) => event.type === 'usage'),
  }
}

const START = /^start:(.+)#\d+$/u

/** Returns a key for events that a run appends only once, otherwise `undefined`. */
function eventKey(event: EventDraft): string | undefined {
  switch (event.type) {
    case 'run-start':
    case 'run-end':
      return event.type
    case 'turn-start':
    case 'turn-end':
      return `${event.type} ${event.turn}`
    case 'tool-queued':
    case 'tool-call':
    case 'tool-result':
      return `${event.type} ${event.callId}`
    case 'tool-start':
      return `${event.type} ${event.callId} ${event.attempt}`
    case 'approval-request':
    case 'approval-result':
      return `${event.type} ${event.approvalId}`
    default:
      return undefined
  }
}
