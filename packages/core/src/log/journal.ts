import { redactValues } from '@troupe/env'
import type { EventDraft, Json, PersistedRun, RunTreeContext, RunEvent } from '@troupe/schema'

/** The stored steps and events of an interrupted run, which the loop uses instead of repeating work. */
export interface Journal {
  /** Returns the value of a step, with its secrets restored. */
  step(key: string): Json | undefined
  /** Returns true if the call was started. If it also ended, there is a `tool:` step. */
  hasStarted(callId: string): boolean
  /** Returns true if the event is already stored. */
  isStored(event: EventDraft): boolean
  /** Events of all model calls that ended. */
  readonly usage: readonly Extract<RunEvent, { readonly type: 'usage' }>[]
}

export function createJournal(
  { steps, events }: PersistedRun,
  { redactor }: Pick<RunTreeContext, 'redactor'>,
): Journal {
  const stored = new Set(events.flatMap((event) => eventKey(event) ?? []))
  const started = new Set(Array.from(steps.keys()).flatMap((key) => START.exec(key)?.[1] ?? []))
  return {
    step(key) {
      const value = steps.get(key)
      return value === undefined || redactor === undefined ? value : redactValues(value, redactor.reveal)
    },
    hasStarted: (callId) => started.has(callId),
    isStored(event) {
      const key = eventKey(event)
      return key !== undefined && stored.has(key)
    },
    usage: events.filter((event) => event.type === 'usage'),
  }
}

const START = /^start:(.+)#\d+$/u

/** Returns a key for events that a run appends only once, otherwise `undefined`. */
function eventKey(event: EventDraft): string | undefined {
  switch (event.type) {
    case 'run-start':
    case 'run-end':
      return event.type
    case 'turn-start':
    case 'turn-end':
      return `${event.type} ${event.turn}`
    case 'tool-queued':
    case 'tool-call':
    case 'tool-result':
      return `${event.type} ${event.callId}`
    case 'tool-start':
      return `${event.type} ${event.callId} ${event.attempt}`
    case 'approval-request':
    case 'approval-result':
      return `${event.type} ${event.approvalId}`
    default:
      return undefined
  }
}
