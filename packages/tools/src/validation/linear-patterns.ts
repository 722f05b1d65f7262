import { RE2JS } from 're2js'
import { troupeError } from '@troupe/schema'

const MAX_LENGTH = 512
/** Limit of the sum of all counted repetitions in a pattern. */
const MAX_REPEATS = 1000
/** Limit of the work to compile all patterns of one schema, in µs (worst case). */
const MAX_COMPILE_WORK = 50_000
/** Limit of characters times instructions in one test, about 100 ms in the worst case. */
const MAX_WORK = 10_000_000

/** A pattern that runs in time linear in the text. */
export interface LinearPattern {
  /** Also returns false if the text is too long for the size of the pattern. */
  test(text: string): boolean
  /** Returns the worst-case work to test a text, in units of about 10 ns. */
  cost(text: string): number
}

/** Patterns of one schema. */
export interface LinearPatterns {
  /**
   * Compiles a pattern. `undefined` if it is too large or cannot run in linear time (lookarounds,
   * backreferences). Throws `tool_schema_invalid` if all patterns together are too large.
   */
  get(pattern: string): LinearPattern | undefined
}

/**
 * Creates a cache of patterns compiled with RE2. The platform's engine is never used, because it backtracks
 * and may run forever on a hostile pattern.
 */
export function createLinearPatterns(): LinearPatterns {
  const known = new Map<string, LinearPattern | undefined>()
  let work = 0
  return {
    get(pattern) {
      if (known.has(pattern)) return known.get(pattern)
      work += compileWork(pattern)
      const compiled = work > MAX_COMPILE_WORK ? undefined : compile(pattern)
      work += 2 * (compiled?.programSize() ?? 0)
      if (work > MAX_COMPILE_WORK)
        throw troupeError('tool_schema_invalid', 'its patterns are too large (at most about 600 short ones)')
      const linear = compiled === undefined ? undefined : limited(compiled)
      known.set(pattern, linear)
      return linear
    },
  }
}

function compile(pattern: string): RE2JS | undefined {
  if (pattern.length > MAX_LENGTH || repeats(pattern) > MAX_REPEATS || hasForeignEscape(pattern))
    return undefined
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern))
  } catch {
    // RE2 does not support the pattern
    return undefined
  }
}

function limited(compiled: RE2JS): LinearPattern {
  const size = compiled.programSize()
  const longest = MAX_WORK / size
  const perCharacter = 5 + size / 6
  return {
    test: (text) => text.length <= longest && compiled.test(text),
    cost: (text) => 30 + (text.length <= longest ? text.length * perCharacter : 0),
  }
}

/**
 * Estimates the work to compile a pattern. Unicode classes are slow, most of all in case-insensitive
 * patterns.
 */
function compileWork(pattern: string): number {
  if (pattern.length > MAX_LENGTH) return 1
  return 50 + pattern.length + 150 * (pattern.split(/\\p/iu).length - 1)
}

function repeats(pattern: string): number {
  let sum = 0
  for (const [, least = '0', most = ''] of pattern.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/gu))
    sum += Math.max(Number(least), Number(most))
  return sum
}

/**
 * Letters with a meaning after a backslash. The translation to RE2 would take other letters literally, for
 * example in `\k<name>`.
 */
const ESCAPES: ReadonlySet<string> = new Set('ABDEPQSWabcdfnprstuvwxz')

function hasForeignEscape(pattern: string): boolean {
  for (const [, escaped = ''] of pattern.matchAll(/\\(.)/gsu))
    if (/[a-zA-Z]/u.test(escaped) && !ESCAPES.has(escaped)) return true
  return false
}
