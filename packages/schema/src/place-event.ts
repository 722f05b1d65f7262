import type { EventDraft, RunEvent } from './event.ts'

/** Where an event stands: a durable one by `seq`, a transient one `after` the last of them. */
export type LogPlace = { readonly seq: number } | { readonly after: number }

/**
 * The draft itself with its place in a log, not a copy: every token passes here. Who hands a draft to a log must not use it again, and it must not be
 * frozen.
 */
export function placeEvent(draft: EventDraft, place: LogPlace): RunEvent {
  const event = draft as { -readonly [K in keyof Pick<RunEvent, 'seq' | 'after'>]: RunEvent[K] }
  if ('seq' in place) event.seq = place.seq
  else event.after = place.after
  return draft
}
