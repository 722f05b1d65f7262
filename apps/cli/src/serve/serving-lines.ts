import type { AgentDefinition } from '@troupe/schema'
import type { TroupeServer, AccessRecord } from '@troupe/server'
import { formatDuration, plainText } from '@troupe/timeline'
import type { LogFormat } from '../terminal/context.ts'

/**
 * Returns the lines of the start: the served agents, and an example command per protocol. Every line is valid
 * in a shell.
 */
export function servingLines(
  { url, examples }: Pick<TroupeServer, 'url' | 'examples'>,
  agents: readonly AgentDefinition[],
): readonly string[] {
  const names = agents.map(({ name }) => name).join(', ')
  return [
    `# troupe serves ${names} at ${url}`,
    ...examples.flatMap(({ title, url: at, command }) => ['', `# ${title}: ${at}`, command]),
  ]
}

/** Formats one line of the access log, as JSON or as text. */
export function accessLine(record: AccessRecord, format: LogFormat): string {
  if (format === 'json') return JSON.stringify({ ...record, time: new Date(record.time).toISOString() })
  const { method, path, status, durationMs, principal = '-', runId = '', aborted } = record
  const end = aborted === true ? 'left' : String(status)
  const time = new Date(record.time).toISOString().slice(11, 19)
  const words = [time, method, path, end, formatDuration(durationMs), principal, runId]
  return plainText(words.join(' ').trimEnd(), { max: 500 })
}
