import { hasAnswer, type Compose, type RunResult } from '@troupe/schema'
import { delegate, delegateOne } from './delegate.ts'
import { answer, endOf, missingResults, resultSection } from './ends.ts'
import type { Members } from './member.ts'

/** All agents of `fanOut` at once on one request; `fanIn` reads the request and every result. Without it the results are the answer. */
export function parallel({ fanOut, fanIn }: Members): Compose {
  return async (context) => {
    const { input } = context
    const results = await delegate(
      context,
      fanOut.map((member) => ({ member, input })),
    )
    const [first] = results
    if (first !== undefined && !results.some(({ outcome }) => hasAnswer(outcome))) return endOf(first)
    const limited = missingResults(results)
    const joined = results.map(resultSection).join('\n\n')
    context.keep(joined)
    if (fanIn === undefined) return answer(joined, limited)
    const last = await delegateOne(context, fanIn, fanInPrompt(input, results))
    return last.outcome === 'completed' ? answer(last.text, limited) : endOf(last)
  }
}

function fanInPrompt(input: string, results: readonly RunResult[]): string {
  return [`The request was:\n${input}`, ...results.map(resultSection)].join('\n\n')
}
