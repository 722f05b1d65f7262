import type { RunEvent } from '@troupe/schema'
import { eventFields, type EventFields } from './event-fields.ts'
import { eventText } from './event-text.ts'
import { plainText } from './plain-text.ts'

/** Severity of a record: `error` if a run or call failed, `warn` for smaller problems. */
export type LogLevel = 'info' | 'warn' | 'error'

/** One record of a structured log: the {@link eventFields}, a level and a readable message. */
export interface LogRecord extends EventFields {
  readonly level: LogLevel
  readonly message: string
}

/** Maximum length of a message in characters. */
const MESSAGE = 500

/**
 * Returns the log record of an event, or `undefined` for events that do not get one (deltas, turns). Pure.
 * The message is one line of plain text with at most `max` characters, default 500.
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
