import { RE2JS } from 're2js'
import type { TextMatch } from '@troupe/schema/ports'
import { findEncoded } from './encoded-text.ts'
import { createFinder, withoutOverlaps, type TextFinder } from './find-patterns.ts'
import { foldText, isHidden, originalRange, unleet, type FoldedText } from './fold-text.ts'
import { INJECTION_PHRASES, SQUASHED_PHRASES, type InjectionKind } from './injection-phrases.ts'

/** Creates a finder of attacks on the instructions of a model. */
export function createInjectionFinder(kinds: readonly InjectionKind[]): TextFinder {
  const phrases = createFinder(kinds.flatMap((kind) => (kind === 'hidden' ? [] : INJECTION_PHRASES[kind])))
  const allPhrases = createFinder(Object.values(INJECTION_PHRASES).flat())
  const findHidden = kinds.includes('hidden') ? createHiddenFinder(allPhrases) : () => []
  return (text) => {
    const folded = foldText(text)
    return withoutOverlaps([...inOriginal(folded, phrases), ...findHidden(text, folded)])
  }
}

/** Finds phrases in folded text, without those that the text only mentions. */
function inOriginal(folded: FoldedText, find: TextFinder): readonly TextMatch[] {
  return find(folded.text)
    .filter((match) => !isMentioned(folded.text, match.start))
    .map(({ start, end, kind }) => ({ ...originalRange(folded, start, end), kind }))
}

const QUOTES: ReadonlySet<string> = new Set(['"', "'", '“', '”', '‘', '’', '«', '»', '„', '`', '‹'])
const MENTION =
  /\b(?:calls?|called|named|says?|typed|wrote|writes|tried|phrases?|sentences?|strings?|titles?|titled|lines?|words?|such as|like|example|examples|explain|why|means?|asks?|translate|attackers?|attacks?|which|mailed)\b[^.!?]{0,60}$/u
const BEFORE_QUOTE = 100

/** Returns true for a phrase in quotation marks after words that introduce a quotation. */
function isMentioned(text: string, start: number): boolean {
  for (let at = start - 1; at >= 0 && start - at < BEFORE_QUOTE; at -= 1) {
    if (!QUOTES.has(text.charAt(at)) || isApostrophe(text, at)) continue
    if (at > 0 && !/[\s(:]/u.test(text.charAt(at - 1))) return false
    return MENTION.test(text.slice(Math.max(0, at - BEFORE_QUOTE), at))
  }
  return false
}

function isApostrophe(text: string, at: number): boolean {
  return /[a-z]/u.test(text.charAt(at - 1)) && /[a-z]/u.test(text.charAt(at + 1))
}

type HiddenFinder = (text: string, folded: FoldedText) => readonly TextMatch[]

/** Creates a finder of attacks in encoded, invisible or disguised text. */
function createHiddenFinder(findPhrases: TextFinder): HiddenFinder {
  const findSquashed = createFinder(SQUASHED_PHRASES)
  return (text, folded) => {
    const encoded = findEncoded(text)
      .filter(({ decoded }) => findPhrases(foldText(decoded).text).length > 0)
      .map(({ start, end }) => ({ start, end }))
    const disguised = inOriginal(unleetIfMixed(folded), findPhrases)
    const found = [...invisibleRanges(text), ...encoded, ...disguised, ...spacedOut(folded, findSquashed)]
    return found.map(({ start, end }) => ({ start, end, kind: 'hidden' }))
  }
}

const MIXED = RE2JS.compile(String.raw`[a-z][013457$][a-z]`)

/** Replaces digits in words by letters if a word has some in its middle. */
function unleetIfMixed(folded: FoldedText): FoldedText {
  return MIXED.matcher(folded.text).find() ? unleet(folded) : { text: '', positions: folded.positions }
}

interface TextRange {
  readonly start: number
  readonly end: number
}

/** Minimum number of characters that hide a text or split its words. */
const MIN_HIDDEN = 3

/**
 * Returns the ranges with tag characters, direction overrides, or zero-width characters within Latin words. Joiners
 * in other scripts and emoji, and flags that consist of tags, are ordinary text.
 */
function invisibleRanges(text: string): readonly TextRange[] {
  let count = 0
  let start = -1
  let end = -1
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? 0
    const width = code > 0xffff ? 2 : 1
    if (code > 0x7f && isHidden(code) && isSuspicious(text, at, code)) {
      count += code === 0x202d || code === 0x202e ? MIN_HIDDEN : 1
      if (start === -1) start = at
      end = at + width
    }
    at += width - 1
  }
  return count >= MIN_HIDDEN ? [{ start, end }] : []
}

const LATIN = /[A-Za-z]/u
const FLAG = 0x1f3f4

function isSuspicious(text: string, at: number, code: number): boolean {
  if (code >= 0xe0000) {
    const flag = text.lastIndexOf(String.fromCodePoint(FLAG), at)
    return flag === -1 || at - flag > 16
  }
  if (code === 0x202d || code === 0x202e) return true
  if (code === 0xad || code >= 0xfe00) return false
  return LATIN.test(text.charAt(at - 1)) && LATIN.test(text.charAt(at + 1))
}

const SPACED = RE2JS.compile(String.raw`(?:[a-z][ ._*-]{1,3}){7,}[a-z]`)

/** Returns the ranges in which letters are written one by one and form an attack. */
function spacedOut(folded: FoldedText, find: TextFinder): readonly TextRange[] {
  const ranges: TextRange[] = []
  const matcher = SPACED.matcher(folded.text)
  while (matcher.find()) {
    const letters = folded.text.slice(matcher.start(), matcher.end()).replaceAll(/[^a-z]/gu, '')
    if (find(letters).length > 0) ranges.push(originalRange(folded, matcher.start(), matcher.end()))
  }
  return ranges
}
