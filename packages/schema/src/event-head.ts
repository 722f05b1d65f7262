import type { EventBase, EventType } from './event.ts'

/** What an event says before it says what happened: when, whose, and what. */
export type EventHead<Type extends EventType = EventType> = EventBase & { readonly type: Type }

/** The names of its members, in the order in which events have them. */
export const EVENT_HEAD_KEYS: readonly (keyof EventHead)[] = [
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

/** Whose an event is: another event of the same call or run, or what is known of it. */
export type EventPlace = Omit<EventBase, 'time' | 'parentRunId' | 'callId' | 'calledAs'> & {
  readonly [Key in 'parentRunId' | 'callId' | 'calledAs']?: string | undefined
}

/** The head of an event of this place, and nothing else of what it is taken from. In the order of a run's own events: a replay gives the same bytes. */
export function eventHead<Type extends EventType>(
  place: EventPlace,
  type: Type,
  time: number,
): EventHead<Type> {
  const { runId, rootRunId, parentRunId, agent, instance, depth, callId, calledAs } = place
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
