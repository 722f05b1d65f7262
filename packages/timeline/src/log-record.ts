import type { RunEvent } from '@troupe/schema'
import { eventFields, type EventFields } from './event-fields.ts'
import { eventText } from './event-text.ts'
import { plainText } from './plain-text.ts'

/** How much a record matters: `error` ended a run or a call badly, `warn` did not. */
export type LogLevel = 'info' | 'warn' | 'error'

/** One record of a structured log: what {@link eventFields} says, a level, and a line for people. */
export interface LogRecord extends EventFields {
  readonly level: LogLevel
  readonly message: string
}

/** Longest message in characters. */
const MESSAGE = 500

/**
 * The log record of an event (A91), or undefined for events that are too small for one (deltas, turns). Pure. `max` is the longest message in
 * characters, default 500; it is plain text of one line.
 */
export function logRecord(
  event: RunEvent,
  { max = MESSAGE }: { readonly max?: number } = {},
): LogRecord | undefined {
  const text = eventText(event)
  if (text === undefined) return undefined
  const { time, ...fields } = eventFields(event)
  return { time, level: levelOf(event), message: plainText(text, { max }), ...fields }
}

function levelOf(event: RunEvent): LogLevel {
  switch (event.type) {
    case 'run-end':
    case 'tool-result':
      return event.outcome === 'completed' ? 'info' : event.outcome === 'failed' ? 'error' : 'warn'
    case 'warning':
    case 'model-retry':
    case 'model-fallback':
    case 'budget':
      return 'warn'
    default:
      return 'info'
  }
}
