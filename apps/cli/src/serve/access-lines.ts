import { formatDuration, plainText } from '@troupe/timeline'
import type { AccessRecord } from '@troupe/server'
import type { LogFormat } from '../terminal/context.ts'

/** Formats one line of the access log, as JSON or as text. */
export function accessLine(record: AccessRecord, format: LogFormat): string {
  if (format === 'json') return JSON.stringify({ ...record, time: new Date(record.time).toISOString() })
  const { method, path, status, durationMs, principal = '-', runId = '', aborted } = record
  const end = aborted === true ? 'left' : String(status)
  const time = new Date(record.time).toISOString().slice(11, 19)
  const words = [time, method, path, end, formatDuration(durationMs), principal, runId]
  return plainText(words.join(' ').trimEnd(), { max: 500 })
}
