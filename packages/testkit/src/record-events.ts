import type { EventType, RunEvent, RunListener } from '@troupe/schema'

/** A listener that records events. */
export interface EventRecord {
  readonly listener: RunListener
  /** All events so far, in order. */
  readonly events: readonly RunEvent[]
  types(): readonly EventType[]
  /** Returns the recorded events of one type. */
  of<T extends EventType>(type: T): readonly Extract<RunEvent, { readonly type: T }>[]
}

/** Creates a listener that records every event. */
export function recordEvents(): EventRecord {
  const events: RunEvent[] = []
  return {
    listener: (event) => {
      events.push(event)
    },
    events,
    types: () => events.map((event) => event.type),
    of: <T extends EventType>(type: T) =>
      events.filter((event): event is Extract<RunEvent, { readonly type: T }> => event.type === type),
  }
}
