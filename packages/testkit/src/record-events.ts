import type { EventType, RunEvent, RunListener } from '@troupe/schema'

/** A listener that keeps what it was told. */
export interface EventRecord {
  readonly listener: RunListener
  /** In the order told; grows. */
  readonly events: readonly RunEvent[]
  types(): readonly EventType[]
  /** The events of one type. */
  of<T extends EventType>(type: T): readonly Extract<RunEvent, { readonly type: T }>[]
}

/** Keeps every event it hears. */
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
