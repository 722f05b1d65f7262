import { hasAnswer } from '@troupe/schema'
import type { Compose, ComposeContext, RunResult } from '@troupe/schema/ports'
import { sha256Hex } from '@troupe/schema/json'
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

/**
 * Runs an ordinary agent between others. The agents of `fanOut` run first, at once, and their answers or
 * failures come before the request. The agent of `fanIn` then gets the request and the answer, and writes the
 * final answer.
 */
export function advised({ fanOut, fanIn }: Members): Compose {
  return async (context) => {
    const { input, definition } = context
    const advice =
      fanOut.length === 0
        ? []
        : await delegate(
            context,
            fanOut.map((member) => ({ member, input })),
          )
    const end = await context.answer(advice.length === 0 ? input : withAdvice(context, advice))
    if (fanIn === undefined || !hasAnswer(end.outcome)) return end
    context.savePartialText(end.text)
    const last = await delegateOne(context, fanIn, requestWith(input, [{ agent: definition.name, ...end }]))
    return toComposedEnd(last, last.text || end.text)
  }
}

/** Returns the advice and the request in tags that neither can contain, because they name the run. */
function withAdvice({ input, run }: ComposeContext, advice: readonly RunResult[]): string {
  const id = sha256Hex(run.request.runId).slice(0, 10)
  const blocks = advice.map((result) => {
    const text = hasAnswer(result.outcome) ? result.text : resultSection(result)
    return `<advisory__${id} agent="${result.agent}">\n${text}\n</advisory__${id}>`
  })
  return [...blocks, `<original_user_request__${id}>\n${input}\n</original_user_request__${id}>`].join('\n\n')
}
