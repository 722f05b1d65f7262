import { RE2JS } from 're2js'
import { errorMessage, type Json } from '@troupe/schema'

/**
 * An RE2 pattern of sensitive text. Every match contains at least one of `needles`, so a text without them is
 * not searched; an empty list means that every text is.
 */
interface SensitivePattern {
  readonly pattern: string
  readonly needles: readonly string[]
}

/** Formats of keys and tokens of well-known services. */
export const KEY_FORMATS: readonly SensitivePattern[] = [
  { pattern: String.raw`\bsk-[A-Za-z0-9_-]{16,}`, needles: ['sk-'] },
  { pattern: String.raw`\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}`, needles: ['gh', 'github_pat_'] },
  { pattern: String.raw`\bglpat-[A-Za-z0-9_-]{16,}`, needles: ['glpat-'] },
  { pattern: String.raw`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`, needles: ['xox'] },
  { pattern: String.raw`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`, needles: ['AKIA', 'ASIA'] },
  { pattern: String.raw`\bAIza[A-Za-z0-9_-]{30,}`, needles: ['AIza'] },
  { pattern: String.raw`\b(?:npm|pypi|hf|rk_live|sk_live)_[A-Za-z0-9_]{16,}`, needles: ['_'] },
  { pattern: String.raw`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`, needles: ['eyJ'] },
  { pattern: String.raw`(?i)\bbearer\s+[A-Za-z0-9._~+/-]{16,}=*`, needles: ['earer', 'EARER'] },
  {
    pattern: String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`,
    needles: ['PRIVATE KEY-----'],
  },
]

const KINDS: Readonly<Record<TextKind, readonly SensitivePattern[]>> = {
  tokens: KEY_FORMATS,
  emails: [{ pattern: String.raw`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+`, needles: ['@'] }],
  cards: [{ pattern: String.raw`\b\d(?:[ -]?\d){12,18}\b`, needles: [] }],
}

/** Names of the built-in kinds of sensitive text. */
export type TextKind = 'tokens' | 'emails' | 'cards'

/** All {@link TextKind} values. */
export const TEXT_KINDS: readonly TextKind[] = ['tokens', 'emails', 'cards']

/** Maximum program size of a pattern; larger ones would be slow, though still linear. */
const MAX_INSTRUCTIONS = 2000

/** Replaces all matches in a text. */
type ReplaceMatches = (text: string, replacement: string) => string

/**
 * Returns a function that replaces texts of these kinds and matches of custom patterns. All patterns run in
 * linear time (RE2).
 */
export function replaceMatches(kinds: readonly TextKind[], patterns: readonly string[]): ReplaceMatches {
  const all = [
    ...kinds.flatMap((kind) => [...KINDS[kind]]).map(compileKind),
    ...patterns.map((pattern) => ({ compiled: RE2JS.compile(pattern), needles: [] })),
  ]
  return (text, replacement) => {
    const safe = RE2JS.quoteReplacement(replacement)
    return all.reduce(
      (rest, { compiled, needles }) =>
        needles.length > 0 && !needles.some((needle) => rest.includes(needle))
          ? rest
          : compiled.matcher(rest).replaceAll(safe),
      text,
    )
  }
}

/** Returns why a custom pattern cannot be used, or `undefined` if it can. */
export function patternProblem(pattern: string): string | undefined {
  try {
    const compiled = RE2JS.compile(pattern)
    if (compiled.programSize() > MAX_INSTRUCTIONS) return 'is too large'
    return compiled.matches('') || compiled.test('') ? 'matches the empty string' : undefined
  } catch (thrown) {
    return `is not a valid RE2 pattern (lookarounds and backreferences are not supported): ${errorMessage(thrown)}`
  }
}

function compileKind({ pattern, needles }: SensitivePattern): {
  readonly compiled: RE2JS
  readonly needles: readonly string[]
} {
  return { compiled: RE2JS.compile(pattern), needles }
}

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
