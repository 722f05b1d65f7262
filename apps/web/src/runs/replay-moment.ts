import type { RunEvent } from '@troupe/schema'

/** A position in a replay. */
export interface ReplayMoment {
  /** In ms since 1970. */
  readonly at: number
  /** Number of events up to this moment. It may include only some of several events with the same time. */
  readonly count: number
}

/** Returns the moment at a time, with all events up to then. */
export function momentAt(events: readonly RunEvent[], at: number): ReplayMoment {
  return { at, count: events.filter(({ time }) => time <= at).length }
}

/** Returns the moment `by` events later, or earlier if negative. Never before the first event. */
export function stepFrom(events: readonly RunEvent[], { count }: ReplayMoment, by: number): ReplayMoment {
  const next = Math.min(events.length, Math.max(1, count + by))
  return { count: next, at: events[next - 1]?.time ?? 0 }
}

/** Describes the last event in a few words, such as `Reporter[1]: tool-call look_up`. */
export function lastEventText(events: readonly RunEvent[], { count }: ReplayMoment): string {
  const event = events[count - 1]
  if (event === undefined) return ''
  const tool = 'toolName' in event ? ` ${event.toolName}` : ''
  return `${event.instance}: ${event.type}${tool}`
}
