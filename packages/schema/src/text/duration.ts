const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/**
 * Converts a duration to ms: a number of ms, or text such as "500ms", "120s", "5m", "1h", "7d". Returns
 * `undefined` if it is neither.
 */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined
  if (typeof value !== 'string') return undefined
  const match = /^(?<amount>\d{1,12}(?:\.\d{1,6})?)\s{0,4}(?<unit>ms|s|m|h|d)?$/u.exec(value.trim())
  const amount = match?.groups?.['amount']
  if (amount === undefined) return undefined
  return Math.round(Number(amount) * (UNITS.get(match?.groups?.['unit'] ?? 'ms') ?? 1))
}
