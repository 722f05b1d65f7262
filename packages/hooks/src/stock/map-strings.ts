import type { Json } from '@troupe/schema'

/** The value with `change` applied to every text in it, keys too. */
export function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mapStrings(item, change))
  // fromEntries defines members of its own, whatever they are called
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [change(key), mapStrings(member, change)]),
  )
}
