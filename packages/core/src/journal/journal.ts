import { redactValues } from '@troupe/env'
import type { EventDraft, Json, PastRun, RootScope, RunEvent } from '@troupe/schema'

/** What a run has done before it was interrupted: read where the loop would do it again. */
export interface Journal {
  /** The value of a step, with its secrets in it. */
  step(key: string): Json | undefined
  /** The call was started; whether it ended is said by its `tool:` step. */
  hasStarted(callId: string): boolean
  /** True for an event that is kept already. */
  wasTold(event: EventDraft): boolean
  /** One for each call of a model that ended. */
  readonly usage: readonly Extract<RunEvent, { readonly type: 'usage' }>[]
}

/** The journal of a run from what is kept of it. */
export function createJournal(
  { steps, events }: PastRun,
  { redactor }: Pick<RootScope, 'redactor'>,
): Journal {
  const told = new Set(events.flatMap((event) => eventKey(event) ?? []))
  const started = new Set(Array.from(steps.keys()).flatMap((key) => START.exec(key)?.[1] ?? []))
  return {
    step(key) {
      const value = steps.get(key)
      return value === undefined || redactor === undefined ? value : redactValues(value, redactor.reveal)
    },
    hasStarted: (callId) => started.has(callId),
    wasTold(event) {
      const key = eventKey(event)
      return key !== undefined && told.has(key)
    },
    usage: events.filter((event) => event.type === 'usage'),
  }
}

const START = /^start:(.+)#\d+$/u

/** What an event is about, where a run tells it once. */
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
