import { getOwn } from '@troupe/schema'
import { readJson } from './ask-json.ts'

/** Rating words, worst first. */
const WORDS: readonly string[] = ['POOR', 'FAIR', 'GOOD', 'EXCELLENT']

/** A parsed answer of an evaluator. */
export interface DraftEvaluation {
  /** `undefined` if the answer has none. */
  readonly rating: string | number | undefined
  readonly feedback: string
}

/** Reads `rating` and `feedback` from JSON. Falls back to the last rating word and to the whole text. */
export function readEvaluation(text: string): DraftEvaluation {
  const value = readJson(text)
  const rating = value === undefined ? undefined : getOwn(value, 'rating')
  const feedback = value === undefined ? undefined : getOwn(value, 'feedback')
  const read = typeof rating === 'string' || typeof rating === 'number' ? rating : lastWord(text)
  return { rating: read, feedback: typeof feedback === 'string' ? feedback : text }
}

/**
 * Returns the rank of a rating on the scale of `minRating` (words or numbers), or -Infinity if it does not
 * fit that scale.
 */
export function rank(rating: string | number | undefined, minRating: string): number {
  if (rating === undefined) return -Infinity
  if (wordRank(minRating) !== -1) {
    const word = wordRank(String(rating))
    return word === -1 ? -Infinity : word
  }
  const number = typeof rating === 'number' ? rating : Number.parseFloat(rating)
  return Number.isNaN(number) ? -Infinity : number
}

/** Returns true if the text can be used as `minRating`: a rating word or a number. */
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
