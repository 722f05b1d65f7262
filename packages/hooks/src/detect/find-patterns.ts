import { RE2JS } from 're2js'
import type { TextMatch } from '@troupe/schema/ports'

/** A pattern of texts to find. */
export interface TextPattern {
  readonly kind: string
  /** RE2 pattern, which runs in linear time. If it has a group, only the group is the match. */
  readonly pattern: string
  /** Texts of which each match contains at least one. Without them, every text is searched. */
  readonly needles?: readonly string[]
  /** Returns false for a match that only looks like one. */
  accepts?(match: string, context: MatchContext): boolean
}

/** The position of a match in its text. */
export interface MatchContext {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Finds matches in a text, in the order of their starts and without overlaps. */
export type TextFinder = (text: string) => readonly TextMatch[]

/** Compiles patterns to one finder. If matches overlap, the first one wins, then the longest. */
export function createFinder(patterns: readonly TextPattern[]): TextFinder {
  const compiled = patterns.map((pattern) => ({ ...pattern, regex: RE2JS.compile(pattern.pattern) }))
  return (text) => {
    const found: TextMatch[] = []
    for (const pattern of compiled)
      if (pattern.needles?.some((needle) => text.includes(needle)) !== false) findAll(text, pattern, found)
    return withoutOverlaps(found)
  }
}

function findAll(
  text: string,
  { regex, kind, accepts }: TextPattern & { readonly regex: RE2JS },
  found: TextMatch[],
): void {
  const matcher = regex.matcher(text)
  const group = regex.groupCount() === 0 ? 0 : 1
  while (matcher.find()) {
    const start = matcher.start(group)
    const end = matcher.end(group)
    if (start < 0 || start === end) continue
    const isMatch = accepts?.(text.slice(start, end), { text, start, end }) !== false
    if (isMatch) found.push({ start, end, kind })
  }
}

/** Sorts matches by their starts and removes those that overlap an earlier one. */
export function withoutOverlaps(matches: readonly TextMatch[]): readonly TextMatch[] {
  if (matches.length < 2) return matches
  const sorted = matches.toSorted((one, other) => one.start - other.start || other.end - one.end)
  const kept: TextMatch[] = []
  let end = 0
  for (const match of sorted) {
    if (match.start < end) continue
    kept.push(match)
    end = match.end
  }
  return kept
}
