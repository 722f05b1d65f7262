import type { RunEvent } from '@troupe/schema'

/** Where a replay stands. */
export interface ReplayMoment {
  /** In ms since 1970. */
  readonly at: number
  /** Events that had happened by then; of several at one time it may be only some. */
  readonly count: number
}

/** The moment of a time: all that had happened by then. */
export function momentAt(events: readonly RunEvent[], at: number): ReplayMoment {
  return { at, count: events.filter(({ time }) => time <= at).length }
}

/** The moment so many events later, or earlier; never before the first one. */
export function stepFrom(events: readonly RunEvent[], { count }: ReplayMoment, by: number): ReplayMoment {
  const next = Math.min(events.length, Math.max(1, count + by))
  return { count: next, at: events[next - 1]?.time ?? 0 }
}

/** The event that happened last, in few words: `Reporter[1]: tool-call look_up`. */
export function lastEventText(events: readonly RunEvent[], { count }: ReplayMoment): string {
  const event = events[count - 1]
  if (event === undefined) return ''
  const tool = 'toolName' in event ? ` ${event.toolName}` : ''
  return `${event.instance}: ${event.type}${tool}`
}
