import type { EventBase, EventType } from './event.ts'

/** The envelope of an event: everything except its payload. */
export type EventEnvelope<Type extends EventType = EventType> = EventBase & { readonly type: Type }

/** Keys of the event envelope, in the order in which events have them. */
export const EVENT_ENVELOPE_KEYS: readonly (keyof EventEnvelope)[] = [
  'time',
  'runId',
  'rootRunId',
  'agent',
  'instance',
  'depth',
  'type',
  'parentRunId',
  'callId',
  'calledAs',
]

/** Origin of an event: another event of the same call or run, or the corresponding fields. */
export type EventOrigin = Omit<EventBase, 'time' | 'parentRunId' | 'callId' | 'calledAs'> & {
  readonly [Key in 'parentRunId' | 'callId' | 'calledAs']?: string | undefined
}

/**
 * Creates the envelope of an event. Copies only envelope fields from `origin`, always in the same order, so
 * that a replay produces the same bytes.
 */
export function eventEnvelope<Type extends EventType>(
  origin: EventOrigin,
  type: Type,
  time: number,
): EventEnvelope<Type> {
  const { runId, rootRunId, parentRunId, agent, instance, depth, callId, calledAs } = origin
  return {
    time,
    runId,
    rootRunId,
    agent,
    instance,
    depth,
    type,
    ...(parentRunId === undefined ? {} : { parentRunId }),
    ...(callId === undefined ? {} : { callId }),
    ...(calledAs === undefined ? {} : { calledAs }),
  }
}
