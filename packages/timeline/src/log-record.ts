import type { RunEvent } from '@troupe/schema'
import { eventText } from './event-text.ts'
import { plainText } from './plain-text.ts'
import { eventCorrelation } from './view.ts'

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

/** The standard fields of a structured log line. Fields that an event does not have are absent. */
export interface EventFields {
  readonly time: string
  readonly event: RunEvent['type']
  readonly seq?: number
  readonly agent_name: string
  readonly instance_name: string
  readonly run_id: string
  readonly root_run_id: string
  readonly parent_run_id?: string
  /** The id that hooks and the history use too. All events of a call share it. */
  readonly correlation_id?: string
  readonly tool_name?: string
  readonly server_name?: string
  readonly outcome?: string
  readonly error_code?: string
  readonly duration_ms?: number
}

/** Returns the standard log fields of an event. */
export function eventFields(event: RunEvent): EventFields {
  const correlation = eventCorrelation(event)
  return {
    time: new Date(event.time).toISOString(),
    event: event.type,
    ...(event.seq === undefined ? {} : { seq: event.seq }),
    agent_name: event.agent,
    instance_name: event.instance,
    run_id: event.runId,
    root_run_id: event.rootRunId,
    ...(event.parentRunId === undefined ? {} : { parent_run_id: event.parentRunId }),
    ...(correlation === undefined ? {} : { correlation_id: correlation }),
    ...('toolName' in event ? { tool_name: event.toolName } : {}),
    ...('server' in event && event.server !== undefined ? { server_name: event.server } : {}),
    ...('outcome' in event ? { outcome: event.outcome } : {}),
    ...('error' in event && event.error !== undefined ? { error_code: event.error.code } : {}),
    ...('durationMs' in event ? { duration_ms: event.durationMs } : {}),
  }
}
