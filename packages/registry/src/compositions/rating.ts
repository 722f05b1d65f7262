import { getOwn } from '@troupe/schema'
import { readJson } from './read-json.ts'

/** The words of a rating, from the worst. */
const WORDS: readonly string[] = ['POOR', 'FAIR', 'GOOD', 'EXCELLENT']

/** What an evaluator said. */
export interface Evaluation {
  /** Undefined: it gave none. */
  readonly rating: string | number | undefined
  readonly feedback: string
}

/** Reads `rating` and `feedback` from JSON, else the last rating word of the text. The whole text is the feedback then. */
export function readEvaluation(text: string): Evaluation {
  const value = readJson(text)
  const rating = value === undefined ? undefined : getOwn(value, 'rating')
  const feedback = value === undefined ? undefined : getOwn(value, 'feedback')
  const read = typeof rating === 'string' || typeof rating === 'number' ? rating : lastWord(text)
  return { rating: read, feedback: typeof feedback === 'string' ? feedback : text }
}

/** Where a rating stands on the scale of `minRating`, words or numbers; -Infinity when it is none of that scale. */
export function rank(rating: string | number | undefined, minRating: string): number {
  if (rating === undefined) return -Infinity
  if (wordRank(minRating) !== -1) {
    const word = wordRank(String(rating))
    return word === -1 ? -Infinity : word
  }
  const number = typeof rating === 'number' ? rating : Number.parseFloat(rating)
  return Number.isNaN(number) ? -Infinity : number
}

/** True for a `minRating` that answers can be compared with: a word of the scale or a number. */
export function isRating(text: string): boolean {
  return rank(text, text) !== -Infinity
}

function wordRank(text: string): number {
  return WORDS.indexOf(text.trim().toUpperCase())
}

function lastWord(text: string): string | undefined {
  return text
    .toUpperCase()
    .split(/[^A-Z]+/u)
    .findLast((word) => WORDS.includes(word))
}
