import type { EventBase, EventDraft, EventType, RunEvent } from './event.ts'

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

/**
 * Sequence number of an event: `seq` for a durable event; `after`, the last durable `seq`, for a transient
 * one.
 */
export type EventSequence = { readonly seq: number } | { readonly after: number }

/**
 * Assigns the sequence number to the draft itself and returns it. It is not copied because this runs for
 * every token. The caller must not reuse the draft, and it must not be frozen.
 */
export function assignSequence(draft: EventDraft, sequence: EventSequence): RunEvent {
  const event = draft as { -readonly [K in keyof Pick<RunEvent, 'seq' | 'after'>]: RunEvent[K] }
  if ('seq' in sequence) event.seq = sequence.seq
  else event.after = sequence.after
  return draft
}
