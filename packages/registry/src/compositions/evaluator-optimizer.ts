import { failure, hasAnswer, getOwn } from '@troupe/schema'
import type { Compose, RunResult } from '@troupe/schema/ports'
import { delegateOne, type Member, toAnswerEnd, toComposedEnd } from './delegate.ts'
import { readJson } from './ask-json.ts'

/** Defaults if the card sets neither. */
const MIN_RATING = 'GOOD'
const MAX_REFINEMENTS = 3

/**
 * Alternates between generator and evaluator, passing the feedback back, until the rating suffices or the
 * refinements are used up.
 */
export function evaluatorOptimizer(generator: Member, evaluator: Member): Compose {
  return async (context) => {
    const { input } = context
    const { composition } = context.definition
    const { minRating = MIN_RATING, maxRefinements = MAX_REFINEMENTS } = composition
    let best: { readonly draft: RunResult; readonly rank: number } | undefined
    let prompt = input
    for (let round = 0; round <= maxRefinements; round++) {
      const draft = await delegateOne(context, generator, prompt)
      if (!hasAnswer(draft.outcome)) return toComposedEnd(draft, best?.draft.text)
      const judged = await delegateOne(context, evaluator, evaluationPrompt(input, draft.text, minRating))
      if (!hasAnswer(judged.outcome)) return toComposedEnd(judged, best?.draft.text ?? draft.text)
      const evaluation = readEvaluation(judged.text)
      const reached = rank(evaluation.rating, minRating)
      if (best === undefined || reached > best.rank) best = { draft, rank: reached }
      context.savePartialText(best.draft.text)
      if (reached >= rank(minRating, minRating))
        return toAnswerEnd(draft.text, draft.outcome === 'partial' ? draft.failure : undefined)
      prompt = refinementPrompt(
        { input, draft: draft.text, more: composition.refinementInstruction },
        evaluation,
      )
    }
    return toAnswerEnd(
      best?.draft.text ?? '',
      failure(
        'composition_unfinished',
        `The rating ${minRating} was not reached within ${maxRefinements} refinements; this is the best answer so far.`,
      ),
    )
  }
}

function evaluationPrompt(input: string, draft: string, minRating: string): string {
  const scale = Number.isNaN(Number.parseFloat(minRating))
    ? 'one of POOR, FAIR, GOOD, EXCELLENT'
    : `a number; ${minRating} is good enough`
  return [
    `The request was:\n${input}`,
    `The answer to evaluate:\n${draft}`,
    `Answer with a JSON object: {"rating": <${scale}>, "feedback": "<what to improve>"}`,
  ].join('\n\n')
}

function refinementPrompt(
  {
    input,
    draft,
    more,
  }: { readonly input: string; readonly draft: string; readonly more: string | undefined },
  { rating, feedback }: DraftEvaluation,
): string {
  return [
    `The request was:\n${input}`,
    `Your answer was:\n${draft}`,
    `It was rated ${rating ?? 'as not good enough'}:\n${feedback}`,
    ...(more === undefined ? [] : [more]),
    'Write the answer again, improved. Answer with the answer alone.',
  ].join('\n\n')
}

/** Rating words, worst first. */
const RATING_WORDS: readonly string[] = ['POOR', 'FAIR', 'GOOD', 'EXCELLENT']

/** A parsed answer of an evaluator. */
interface DraftEvaluation {
  /** `undefined` if the answer has none. */
  readonly rating: string | number | undefined
  readonly feedback: string
}

/** Reads `rating` and `feedback` from JSON. Falls back to the last rating word and to the whole text. */
function readEvaluation(text: string): DraftEvaluation {
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
function rank(rating: string | number | undefined, minRating: string): number {
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
  return RATING_WORDS.indexOf(text.trim().toUpperCase())
}

function lastWord(text: string): string | undefined {
  return text
    .toUpperCase()
    .split(/[^A-Z]+/u)
    .findLast((word) => RATING_WORDS.includes(word))
}
