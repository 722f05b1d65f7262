import type { Json, RunEvent } from '@troupe/schema'
import { EVENT_ENVELOPE_KEYS } from '@troupe/schema/ports'
import type { CassetteEntry } from './cassette.ts'

/** Reduces an event to what is equal in every replay: without times, ids and totals. */
export function toEntry(event: RunEvent, runPath: string): CassetteEntry {
  const dropped = DROPPED.get(event.type) ?? NONE
  const entry: Record<string, Json> = { run: runPath, event: event.type }
  if (event.callId !== undefined) entry['call'] = event.callId
  if (event.type === 'run-start') {
    Object.assign(entry, { agent: event.agent, instance: event.instance })
    if (event.calledAs !== undefined) entry['calledAs'] = event.calledAs
  }
  for (const [key, value] of Object.entries(event)) {
    if (value === undefined || BASE.has(key) || dropped.has(key)) continue
    entry[key] = compact(key, value as Json, event.runId)
  }
  return entry as CassetteEntry
}

const BASE: ReadonlySet<string> = new Set([...EVENT_ENVELOPE_KEYS, 'seq', 'after'])

const NONE: ReadonlySet<string> = new Set()

const DROPPED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['run-start', new Set(['definition', 'sessionId', 'maxInstances'])],
  ['tool-result', new Set(['durationMs', 'bytesIn', 'bytesOut', 'childRunId'])],
  ['usage', new Set(['latencyMs'])],
  ['model-retry', new Set(['delayMs'])],
  [
    'run-end',
    new Set(['durationMs', 'activeMs', 'usage', 'byAgent', 'unpriced', 'problems', 'problemCount']),
  ],
])

function compact(key: string, value: Json, runId: string): Json {
  if (key === 'approvalId' && typeof value === 'string') return value.replace(`${runId}:`, '')
  if (key === 'tokens') return withoutZeros(value)
  return key === 'error' ? withoutTime(value) : value
}

function withoutZeros(tokens: Json): Json {
  return Object.fromEntries(Object.entries(tokens as object).filter(([, count]) => count !== 0)) as Json
}

function withoutTime(error: Json): Json {
  return Object.fromEntries(Object.entries(error as object).filter(([key]) => key !== 'retryAt')) as Json
}

/** Describes an entry: `usage of turn 2 of the run /1.2`. */
export function entryName({ run, event, call, turn }: CassetteEntry): string {
  const where =
    call === undefined ? (turn === undefined ? '' : ` of turn ${textOf(turn)}`) : ` of the call ${call}`
  return `${event}${where} of the run ${run}`
}

/** Converts text or a number to text; anything else becomes empty text. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}
