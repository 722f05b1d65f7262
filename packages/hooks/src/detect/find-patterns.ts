import { RE2JS } from 're2js'
import type { TextMatch } from '@troupe/schema/ports'

/** A pattern of texts to find. */
export interface DetectPattern {
  readonly kind: string
  /** RE2 pattern, which runs in linear time. If it has a group, only the group is the match. */
  readonly pattern: string
  /** Texts of which each match contains at least one, in small letters if case is ignored. Without them, every text is searched. */
  readonly needles?: readonly string[]
  /** Texts of which one is near each match, too. */
  readonly near?: readonly string[]
  /** True for a pattern in small letters that finds all letters. */
  readonly ignoresCase?: true
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

interface CompiledPattern extends DetectPattern {
  readonly regex: RE2JS
  readonly group: number
}

/** Compiles patterns to one finder. If matches overlap, the first one wins, then the longest. */
export function createFinder(patterns: readonly DetectPattern[]): TextFinder {
  const compiled = patterns.map((pattern): CompiledPattern => {
    const regex = RE2JS.compile(pattern.pattern)
    return { ...pattern, regex, group: Math.min(1, regex.groupCount()) }
  })
  return (text) => {
    let small: string | undefined
    const found: TextMatch[] = []
    for (const pattern of compiled) {
      const searched = pattern.ignoresCase === true ? (small ??= toSmallLetters(text)) : text
      for (const span of spansToSearch(searched, pattern)) findAll(text, pattern, { searched, span, found })
    }
    return withoutOverlaps(found)
  }
}

/** Returns the text in small letters, with every character at its place. */
function toSmallLetters(text: string): string {
  const small = text.toLowerCase()
  return small.length === text.length ? small : text.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase())
}

interface TextSpan {
  readonly start: number
  readonly end: number
}

/** Characters before and after a needle that are searched. */
const REACH = 400

/** Returns the parts of a text around needles, which are much shorter than most texts. */
function spansToSearch(text: string, { needles, near }: DetectPattern): readonly TextSpan[] {
  if (needles === undefined) return [{ start: 0, end: text.length }]
  const hits = needles.flatMap((needle) => positionsOf(text, needle)).toSorted((one, other) => one - other)
  const spans: { start: number; end: number }[] = []
  for (const hit of hits) {
    const last = spans.at(-1)
    if (last !== undefined && hit < last.end) {
      last.end = Math.max(last.end, wordEnd(text, hit + REACH))
      continue
    }
    spans.push({
      start: Math.max(last?.end ?? 0, wordStart(text, hit - REACH)),
      end: wordEnd(text, hit + REACH),
    })
  }
  if (near === undefined) return spans
  return spans.filter(({ start, end }) => {
    const part = text.slice(start, end)
    return near.some((needle) => part.includes(needle))
  })
}

/** Returns where a needle occurs. Occurrences in reach of an earlier one are left out. */
function positionsOf(text: string, needle: string): readonly number[] {
  const positions: number[] = []
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + REACH / 2)) positions.push(at)
  return positions
}

const SPACE = /\s/u

function wordStart(text: string, from: number): number {
  let at = Math.max(0, from)
  while (at > 0 && !SPACE.test(text.charAt(at - 1))) at -= 1
  return at
}

function wordEnd(text: string, from: number): number {
  let at = Math.min(text.length, from)
  while (at < text.length && !SPACE.test(text.charAt(at))) at += 1
  return at
}

/** Characters that are searched at once, because each search for a further match costs time for the whole rest. */
const CHUNK = 4096

function findAll(
  text: string,
  { regex, group, kind, accepts }: CompiledPattern,
  {
    searched,
    span,
    found,
  }: { readonly searched: string; readonly span: TextSpan; readonly found: TextMatch[] },
): void {
  let from = span.start
  let size = CHUNK
  while (from < span.end) {
    const to = Math.min(span.end, from + size)
    const end = Math.min(span.end, to + REACH)
    const matcher = regex.matcher(searched.slice(from, end))
    let next = to === span.end ? to : afterSpace(searched, to, from)
    let isCut = false
    while (!isCut && matcher.find() && from + matcher.start() < to) {
      // a match at the end of the chunk may be longer
      isCut = from + matcher.end() === end && end < span.end
      next = isCut ? from + matcher.start() : Math.max(next, from + matcher.end())
      const match = { start: from + matcher.start(group), end: from + matcher.end(group), kind }
      if (isCut || match.start < from || match.start === match.end) continue
      if (accepts?.(text.slice(match.start, match.end), { text, ...match }) !== false) found.push(match)
    }
    size = isCut ? 2 * size : CHUNK
    from = next
  }
}

/** Returns the index after the last space before `to`, so that words are not cut; `to` if there is none. */
function afterSpace(text: string, to: number, from: number): number {
  for (let at = to; at > Math.max(from, to - REACH); at -= 1) if (SPACE.test(text.charAt(at - 1))) return at
  return to
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
