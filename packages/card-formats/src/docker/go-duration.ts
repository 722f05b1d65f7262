import type { Json } from '@troupe/schema'

const MILLISECONDS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}
const WHOLE = /^(?:\d{1,12}(?:\.\d{1,6})?(?:ns|us|µs|ms|s|m|h)){1,6}$/u
const PART = /(?<amount>[\d.]+)(?<unit>ns|us|µs|ms|s|m|h)/gu

/** Converts a Go duration such as `1h30m` to ms. Returns `undefined` for anything else. */
export function goDuration(value: Json | undefined): number | undefined {
  if (typeof value !== 'string' || !WHOLE.test(value)) return undefined
  const parts = [...value.matchAll(PART)].map(
    ({ groups }) => Number(groups?.['amount']) * (MILLISECONDS[groups?.['unit'] ?? ''] ?? 0),
  )
  return Math.round(parts.reduce((sum, part) => sum + part, 0))
}
