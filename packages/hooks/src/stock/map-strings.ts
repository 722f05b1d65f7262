import type { Json } from '@troupe/schema'

/** Applies `change` to every text in a value, keys included. */
export function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mapStrings(item, change))
  // `fromEntries` always creates own properties, even for a key such as `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [change(key), mapStrings(member, change)]),
  )
}
