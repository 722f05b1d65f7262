import type { TimeBeforeResume, RunEvent } from '@troupe/schema'

/** A span of wall time in ms since the epoch. */
export interface WallTimeSpan {
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
export function pastTimes(
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
  const whole = { from: start.time, to: Math.max(start.time, stoppedAt) }
  const rest = lengthOf([...idle, ...waitsOf(events, whole.to)].flatMap((span) => clip(span, whole)))
  // the clock of another machine may be behind
  return { durationMs: Math.max(0, now - start.time), activeMs: Math.max(0, whole.to - whole.from - rest) }
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

function clip({ from, to }: WallTimeSpan, whole: WallTimeSpan): readonly WallTimeSpan[] {
  const clipped = { from: Math.max(from, whole.from), to: Math.min(to, whole.to) }
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
