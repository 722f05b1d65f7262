import type { PastTime, RunEvent } from '@troupe/schema'

/** A span of wall time in ms since 1970. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A span in which no process worked on a root: from its last saved event to the moment of its resume. */
export type IdleSpan = Span

/**
 * Returns what a run had used of time before its root was resumed, from the saved events of the run and the runs below it. `stoppedAt` is the
 * time of the last saved event of the root: what a process did after it is not known, and does not count as active.
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
): PastTime | undefined {
  const start = events.find((event) => event.type === 'run-start' && event.runId === runId)
  if (start === undefined) return undefined
  const whole = { from: start.time, to: Math.max(start.time, stoppedAt) }
  const rest = lengthOf([...idle, ...waitsOf(events, whole.to)].flatMap((span) => clip(span, whole)))
  // the clock of another machine may be behind
  return { durationMs: Math.max(0, now - start.time), activeMs: Math.max(0, whole.to - whole.from - rest) }
}

/** Returns the spans in which a person was asked; one without a decision lasts until `end`. */
function waitsOf(events: readonly RunEvent[], end: number): readonly Span[] {
  const decided = new Map(
    events.flatMap((event) => (event.type === 'approval-result' ? [[event.approvalId, event.time]] : [])),
  )
  return events.flatMap((event) =>
    event.type === 'approval-request' ? [{ from: event.time, to: decided.get(event.approvalId) ?? end }] : [],
  )
}

function clip({ from, to }: Span, whole: Span): readonly Span[] {
  const clipped = { from: Math.max(from, whole.from), to: Math.min(to, whole.to) }
  return clipped.from < clipped.to ? [clipped] : []
}

/** Returns how much time the spans cover together. */
function lengthOf(spans: readonly Span[]): number {
  let length = 0
  let covered = -Infinity
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    length += Math.max(0, to - Math.max(from, covered))
    covered = Math.max(covered, to)
  }
  return length
}
