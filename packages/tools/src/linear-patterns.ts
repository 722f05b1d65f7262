import { RE2JS } from 're2js'
import { troupeError } from '@troupe/schema'

const MAX_LENGTH = 512
/** The sum of all counted repetitions of a pattern. */
const MAX_REPEATS = 1000
/** Instructions of all patterns of one schema. */
const MAX_INSTRUCTIONS = 20_000
/** Characters times instructions of one test: about 100 ms at worst. */
const MAX_WORK = 10_000_000

/** A pattern that runs in time linear in the text. */
export interface LinearPattern {
  /** False also for a text too long for the size of the pattern. */
  test(text: string): boolean
}

/** The patterns of one schema. */
export interface LinearPatterns {
  /** Undefined for a pattern that cannot be run in linear time (lookarounds, backreferences) or is too large. Throws `tool_schema_invalid` when all together are. */
  get(pattern: string): LinearPattern | undefined
}

/** Compiles each pattern once by RE2; nothing is ever given to the engine of the platform, which backtracks and on a hostile pattern never ends. */
export function createLinearPatterns(): LinearPatterns {
  const known = new Map<string, LinearPattern | undefined>()
  let instructions = 0
  return {
    get(pattern) {
      if (known.has(pattern)) return known.get(pattern)
      const compiled = compile(pattern)
      instructions += compiled?.programSize() ?? 0
      if (instructions > MAX_INSTRUCTIONS)
        throw troupeError('tool_schema_invalid', 'its patterns are too large')
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
    // what RE2 refuses is not supported, whatever its reason
    return undefined
  }
}

function limited(compiled: RE2JS): LinearPattern {
  const longest = MAX_WORK / compiled.programSize()
  return { test: (text) => text.length <= longest && compiled.test(text) }
}

function repeats(pattern: string): number {
  let sum = 0
  for (const [, least = '0', most = ''] of pattern.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/gu))
    sum += Math.max(Number(least), Number(most))
  return sum
}

/** Letters that mean something after a backslash; the translation to RE2 would take any other for itself, `\k<name>` among them. */
const ESCAPES: ReadonlySet<string> = new Set('ABDEPQSWabcdfnprstuvwxz')

function hasForeignEscape(pattern: string): boolean {
  for (const [, escaped = ''] of pattern.matchAll(/\\(.)/gsu))
    if (/[a-zA-Z]/u.test(escaped) && !ESCAPES.has(escaped)) return true
  return false
}
