import { readFileSync } from 'node:fs'
import path from 'node:path'
import { BANNED, type BannedPhrase } from '../structure/prose.ts'
import { proseLines } from './links.ts'

/** Most words that a table cell may have. */
const MOST_WORDS = 20

/** A table cell that is too long. */
export interface LongCell {
  readonly line: number
  readonly words: number
}

/** Returns the table cells of a page with more than 20 words. Code counts as one word. Generated tables are left out. */
export function longCells(page: string): readonly LongCell[] {
  return writtenLines(page)
    .filter(({ text }) => text.startsWith('|'))
    .flatMap(({ text, line }) =>
      text
        .split(/(?<!\\)\|/u)
        .map((cell) => ({ line, words: countWords(cell) }))
        .filter(({ words }) => words > MOST_WORDS),
    )
}

function countWords(cell: string): number {
  const text = cell.replaceAll(/`[^`]*`/gu, 'code').replaceAll(/\]\([^)]*\)/gu, ']')
  return text.split(/\s+/u).filter((word) => /\w/u.test(word)).length
}

/** Phrases that must not be in pages, but have other meanings in code and its messages. */
const BANNED_IN_PAGES: readonly BannedPhrase[] = [
  { phrase: /\b(?:pots?|lanes?|strikes|tapes?)\b/iu, use: 'the word of the glossary' },
  { phrase: /\b(?:wish|wishes)\b/iu, use: 'body or request' },
  { phrase: /\b(?:go on|tells? of)\b/iu, use: 'continue, or report' },
  { phrase: /\bpictures?\b/iu, use: 'image, or view state' },
  { phrase: /\bstor(?:y|ies)\b/iu, use: 'transcript or view state' },
  { phrase: /\bdoors?\b/iu, use: 'entry point' },
  { phrase: /\brooms?\b/iu, use: 'folder' },
  { phrase: /\b(?:hears?|heard|speaks?|spoken)\b/iu, use: 'receive, listen or support' },
]

/** Uses that are not those of the glossary, by page: messages of the program, and words in their own sense. */
const ALLOWED: ReadonlyMap<string, readonly string[]> = new Map([
  // the right-hand column of the glossary
  [
    'CONTRIBUTING.md',
    [
      '| not |',
      'desk',
      'shelf',
      'purse',
      'lane',
      'patience',
      'tape',
      'wish',
      'go on',
      'tell',
      'heard',
      'story',
      'door',
      'strangers',
    ],
  ],
  // the text that stands for an image in a tool result
])

/** A word of a page that the glossary replaces. */
export interface GlossaryWord {
  readonly line: number
  readonly found: string
  readonly use: string
}

/** Returns the words of a page, outside of code, that the glossary replaces. */
export function glossaryWords(name: string, page: string): readonly GlossaryWord[] {
  const allowed = ALLOWED.get(name) ?? []
  return proseLines(page).flatMap(({ text, line }) => {
    if (allowed.some((part) => text.includes(part))) return []
    const prose = text.replaceAll(/`[^`]*`/gu, '').replaceAll(/\]\([^)]*\)/gu, ']')
    return [...BANNED, ...BANNED_IN_PAGES].flatMap(({ phrase, use }) => {
      const found = phrase.exec(prose)?.[0]
      return found === undefined ? [] : [{ line, found, use }]
    })
  })
}

/** Returns the lines of a page that people write: those outside of code and of the parts that a script generates. */
function writtenLines(page: string): ReturnType<typeof proseLines> {
  let isGenerated = false
  return proseLines(page).filter(({ text }) => {
    if (/^<!-- [\w-]+:start -->$/u.test(text)) isGenerated = true
    if (/^<!-- [\w-]+:end -->$/u.test(text)) isGenerated = false
    return !isGenerated
  })
}

/** An entry of an index whose title differs from that of its page. */
export interface WrongTitle {
  readonly target: string
  readonly title: string
  readonly heading: string
}

/** Returns the list entries of an index that begin with a link to a page under another title than its first heading. */
export function wrongTitles(index: string): readonly WrongTitle[] {
  const entries = readFileSync(index, 'utf8').matchAll(
    /^- \[(?<title>[^\]]+)\]\((?<target>[\w/.-]+\.md)\)/gmu,
  )
  return [...entries].flatMap(({ groups: { title = '', target = '' } = {} }) => {
    const page = readFileSync(path.join(path.dirname(index), target), 'utf8')
    const heading = /^# (?<heading>.+)$/mu.exec(page)?.groups?.['heading'] ?? ''
    return heading === title ? [] : [{ target, title, heading }]
  })
}
