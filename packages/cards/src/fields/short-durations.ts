import { isJsonObject, type Json } from '@troupe/schema'
import type { FieldPath } from '../card/problem.ts'

/** A duration below one second without a unit. */
export interface ShortDuration {
  readonly path: FieldPath
  readonly message: string
  readonly fix: string
}

const DURATION_KEY = /(?:timeout|ttl)$/iu
/** Keys whose content is not searched for settings. */
const NO_SETTINGS: ReadonlySet<string> = new Set(['env', 'headers', 'parameters', 'schema'])
const SECOND_MS = 1000
/** Maximum depth at which settings occur. */
const MAX_DEPTH = 8

/**
 * Finds durations that are bare numbers below 1000: they count ms, but their authors probably mean seconds.
 * Searches mappings and lists for keys such as `timeout` and `toolTimeout`, and for the keys of `timeouts`.
 */
export function shortDurations(value: Json, path: FieldPath = []): readonly ShortDuration[] {
  if (path.length > MAX_DEPTH) return []
  if (Array.isArray(value))
    return (value as readonly Json[]).flatMap((item, index) => shortDurations(item, [...path, index]))
  if (!isJsonObject(value)) return []
  const isTimeouts = path.at(-1) === 'timeouts'
  return Object.entries(value).flatMap(([key, member]) => {
    if (NO_SETTINGS.has(key)) return []
    const at = [...path, key]
    const ms = isTimeouts || DURATION_KEY.test(key) ? bareNumber(member) : undefined
    return ms === undefined ? shortDurations(member, at) : [toShortDuration(at, ms)]
  })
}

/** Returns a number of ms below one second; ignores zero, which is the same in every unit. */
function bareNumber(value: Json): number | undefined {
  const number = typeof value === 'string' && /^\s*[\d.]+\s*$/u.test(value) ? Number(value) : value
  return typeof number === 'number' && number > 0 && number < SECOND_MS ? number : undefined
}

function toShortDuration(path: FieldPath, ms: number): ShortDuration {
  return {
    path,
    message: `${ms} is ${ms} milliseconds`,
    fix: `Write \`${ms}s\` for seconds, or \`${ms}ms\`.`,
  }
}
