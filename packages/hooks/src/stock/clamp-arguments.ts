import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'

/**
 * Limits of a value: a number within `min` and `max`, text of at most `maxLength` characters, a list of at
 * most `maxItems`.
 */
export interface Bound {
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly maxLength?: number | undefined
  readonly maxItems?: number | undefined
}

/** A bound and the path of the values it applies to; `*` stands for every item of a list. */
export interface BoundAtPath {
  readonly path: readonly string[]
  readonly bound: Bound
}

/** Returns the arguments with every bounded value clamped. Paths that do not exist are ignored. */
export function clampArguments(args: JsonObject, bounds: readonly BoundAtPath[]): JsonObject {
  return bounds.reduce<Json>((value, { path, bound }) => clampAt(value, path, bound), args) as JsonObject
}

function clampAt(value: Json, path: readonly string[], bound: Bound): Json {
  const [step, ...rest] = path
  if (step === undefined) return clampValue(value, bound)
  if (Array.isArray(value))
    return step === '*' ? (value as readonly Json[]).map((item) => clampAt(item, rest, bound)) : value
  if (!isJsonObject(value) || !Object.hasOwn(value, step)) return value
  // `fromEntries` always creates own properties, even for a key such as `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === step ? clampAt(member, rest, bound) : member]),
  )
}

function clampValue(value: Json, { min = -Infinity, max = Infinity, maxLength, maxItems }: Bound): Json {
  if (typeof value === 'number') return Math.min(max, Math.max(min, value))
  if (typeof value === 'string') return maxLength === undefined ? value : truncateText(value, maxLength)
  if (Array.isArray(value)) return maxItems === undefined ? value : value.slice(0, maxItems)
  return value
}

/** Returns the start of a text without splitting a surrogate pair. */
function truncateText(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}
