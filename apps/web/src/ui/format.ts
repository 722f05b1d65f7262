import type { Json, Usage } from '@troupe/schema'
import { formatCost, formatDuration, formatTokens } from '@troupe/timeline'

const DAY = 24 * 60 * 60 * 1000

const TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const DATE = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** Formats a time with its date and year. */
export const DATE_TIME: Intl.DateTimeFormat = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'short',
})

/** Formats a cost, such as `$0.0012`; `≥` marks a lower bound if some calls have no known price. */
export function costText({ micros, unpriced }: Usage): string {
  const knownCost = formatCost(micros / 1_000_000)
  if (unpriced === 0) return knownCost
  return micros === 0 ? '–' : `≥ ${knownCost}`
}

/** Formats input and output tokens, such as `1.2k → 340`. */
export function tokensText({ input, output }: Pick<Usage, 'input' | 'output'>): string {
  return `${formatTokens(input)} → ${formatTokens(output)}`
}

/** Formats a time: without the date if it is within a day of `now`. Both in ms since 1970. */
export function clockTime(time: number, now: number): string {
  return (Math.abs(now - time) < DAY ? TIME : DATE).format(time)
}

/** Formats the time of day of a time in ms since 1970, for a place that shows the day. */
export function timeOfDay(time: number): string {
  return TIME.format(time)
}

/** Returns a JSON value as the text of a field. Strings are not quoted. */
export function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Shortest waiting time that is mentioned, in ms. */
const MIN_WAITING = 1000

/**
 * Formats the duration of an ended run, with the time in it that the run waited for a person or was interrupted:
 * `2 m 04 s, of which 1 m 56 s waiting`. `undefined` for a run that has not ended.
 */
export function durationText({
  durationMs,
  activeMs = durationMs,
}: {
  readonly durationMs?: number
  readonly activeMs?: number
}): string | undefined {
  if (durationMs === undefined || activeMs === undefined) return undefined
  const waiting = durationMs - activeMs
  const whole = formatDuration(durationMs)
  return waiting < MIN_WAITING ? whole : `${whole}, of which ${formatDuration(waiting)} waiting`
}
