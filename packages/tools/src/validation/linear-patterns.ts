import { RE2JS } from 're2js'
import { troupeError } from '@troupe/schema'

const MAX_LENGTH = 512
/** The sum of all counted repetitions of a pattern. */
const MAX_REPEATS = 1000
/** The work of compiling all patterns of one schema, in µs at worst. */
const MAX_COMPILE_WORK = 50_000
/** Characters times instructions of one test: about 100 ms at worst. */
const MAX_WORK = 10_000_000

/** A pattern that runs in time linear in the text. */
export interface LinearPattern {
  /** False also for a text too long for the size of the pattern. */
  test(text: string): boolean
  /** The work of testing a text at worst, in units of about 10 ns. */
  cost(text: string): number
}

/** The patterns of one schema. */
export interface LinearPatterns {
  /** Compiles a pattern. `undefined` if it cannot run in linear time (lookarounds, backreferences) or is too large. Throws `tool_schema_invalid` if all together are too large. */
  get(pattern: string): LinearPattern | undefined
}

/** Compiles each pattern once by RE2; nothing is ever given to the engine of the platform, which backtracks and on a hostile pattern never ends. */
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
    // what RE2 refuses is not supported, whatever its reason
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

/** Unicode classes are slow to compile, most of all where case does not matter. */
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

/** Letters that mean something after a backslash; the translation to RE2 would take any other for itself, `\k<name>` among them. */
const ESCAPES: ReadonlySet<string> = new Set('ABDEPQSWabcdfnprstuvwxz')

function hasForeignEscape(pattern: string): boolean {
  for (const [, escaped = ''] of pattern.matchAll(/\\(.)/gsu))
    if (/[a-zA-Z]/u.test(escaped) && !ESCAPES.has(escaped)) return true
  return false
}
