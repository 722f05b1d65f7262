import { failure, hasAnswer } from '@troupe/schema'
import type { Compose, RunResult } from '@troupe/schema/ports'
import { delegateOne, type Member, toAnswerEnd, toComposedEnd } from './delegate.ts'
import { rank, readEvaluation, type DraftEvaluation } from './rating.ts'

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
