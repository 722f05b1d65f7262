import { agentToolName } from '@troupe/schema'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Formats a duration in ms: `85 ms`, `1.2 s`, `3 m 05 s`, `2 h 10 m`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < MINUTE) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m ${twoDigits((ms % MINUTE) / SECOND)} s`
  return `${Math.floor(ms / HOUR)} h ${twoDigits((ms % HOUR) / MINUTE)} m`
}

/** Formats an amount in USD; `null` if the price is not known. */
export function formatCost(usd: number | null): string {
  if (usd === null) return 'price unknown'
  if (usd > 0 && usd < 0.0001) return '<$0.0001'
  return `$${usd.toFixed(usd > 0 && usd < 1 ? 4 : 2)}`
}

/** Formats a number of tokens: `950`, `12.3k`, `1.20M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return `${tokens}`
  if (tokens < 999_950) return `${(tokens / 1000).toFixed(1)}k`
  return `${(tokens / 1_000_000).toFixed(2)}M`
}

/** Formats a change with its sign, such as `+1.2k` or `−85 ms`; `±0` if it rounds to nothing. */
export function formatChange(change: number, format: (value: number) => string): string {
  const text = format(Math.abs(change))
  if (text === format(0) || text.startsWith('<')) return '±0'
  return `${change > 0 ? '+' : '−'}${text}`
}

function twoDigits(value: number): string {
  return `${Math.floor(value)}`.padStart(2, '0')
}

/**
 * Returns the display name of a call: `agent__NAME[i]` if the tool is an agent, so that parallel calls can be
 * distinguished, else its canonical name.
 */
export function toolLabel({
  toolName,
  childInstance,
}: {
  readonly toolName: string
  readonly childInstance?: string
}): string {
  return childInstance === undefined ? toolName : agentToolName(childInstance)
}
