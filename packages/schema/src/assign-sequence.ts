import type { EventDraft, RunEvent } from './event.ts'

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
