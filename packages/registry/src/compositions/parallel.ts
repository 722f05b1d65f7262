import { hasAnswer } from '@troupe/schema'
import type { Compose } from '@troupe/schema/ports'
import {
  delegate,
  delegateOne,
  type Members,
  toAnswerEnd,
  toComposedEnd,
  missingResultsFailure,
  requestWith,
  resultSection,
} from './delegate.ts'

/**
 * Runs all agents of `fanOut` on the same request. `fanIn` then gets every result and, unless
 * `includeRequest` is false, the request. Without `fanIn` the joined results are the answer.
 */
export function parallel({ fanOut, fanIn }: Members): Compose {
  return async (context) => {
    const { input } = context
    const results = await delegate(
      context,
      fanOut.map((member) => ({ member, input })),
    )
    const [first] = results
    if (first !== undefined && !results.some(({ outcome }) => hasAnswer(outcome))) return toComposedEnd(first)
    const limited = missingResultsFailure(results)
    const joined = results.map(resultSection).join('\n\n')
    context.savePartialText(joined)
    if (fanIn === undefined) return toAnswerEnd(joined, limited)
    const { includeRequest = true } = context.definition.composition
    const last = await delegateOne(context, fanIn, includeRequest ? requestWith(input, results) : joined)
    return last.outcome === 'completed' ? toAnswerEnd(last.text, limited) : toComposedEnd(last)
  }
}
