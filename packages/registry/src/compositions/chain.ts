import { hasAnswer } from '@troupe/schema'
import type { Compose, RunResult } from '@troupe/schema/ports'
import { delegateOne, type Members, toAnswerEnd, toComposedEnd, requestWith } from './delegate.ts'

/**
 * Calls agents one after the other. Each gets the previous answer, or with `cumulative` the request and all
 * answers so far. Stops at the first agent without an answer.
 */
export function chain({ sequence }: Members): Compose {
  return async (context) => {
    let text: string | undefined
    let limited: Parameters<typeof toAnswerEnd>[1]
    const { cumulative } = context.definition.composition
    const results: RunResult[] = []
    for (const member of sequence) {
      const read = cumulative === true ? promptWithResults(context.input, results) : (text ?? context.input)
      const result = await delegateOne(context, member, read)
      if (!hasAnswer(result.outcome)) return toComposedEnd(result, result.text || text)
      text = result.text
      results.push(result)
      limited ??= result.outcome === 'partial' ? result.failure : undefined
      context.savePartialText(text)
    }
    return toAnswerEnd(text ?? '', limited)
  }
}

/** Returns the request and all results; for the first agent, the bare request. */
function promptWithResults(input: string, results: readonly RunResult[]): string {
  return results.length === 0 ? input : requestWith(input, results)
}
