import { isJsonObject, type Json } from '@troupe/schema'
import type { FieldPath } from './field-path.ts'

/** A duration without a unit that is shorter than a second. */
export interface ShortDuration {
  readonly path: FieldPath
  readonly message: string
  readonly fix: string
}

const DURATION_KEY = /(?:timeout|ttl)$/iu
/** What stands in these is not read as settings. */
const NO_SETTINGS: ReadonlySet<string> = new Set(['env', 'headers', 'parameters', 'schema'])
const SECOND_MS = 1000
/** No setting lies deeper. */
const MAX_DEPTH = 8

/**
 * Finds durations that are bare numbers below 1000: they count milliseconds, and their authors most likely mean seconds. Looks into mappings and lists,
 * under keys such as `timeout` and `toolTimeout`, and those of `timeouts`.
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

/** Zero is the same in every unit. */
function bareNumber(value: Json): number | undefined {
  const number = typeof value === 'string' && /^\s*[\d.]+\s*$/u.test(value) ? Number(value) : value
  return typeof number === 'number' && number > 0 && number < SECOND_MS ? number : undefined
}

function toShortDuration(path: FieldPath, ms: number): ShortDuration {
  return {
    path,
    message: `${ms} is ${ms} milliseconds`,
    fix: `Write \`${ms}s\` if seconds are meant, or \`${ms}ms\`.`,
  }
}
