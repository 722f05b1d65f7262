import { hasAnswer, type Compose } from '@troupe/schema'
import { delegateOne } from './delegate.ts'
import { answer, endOf } from './ends.ts'
import type { Members } from './member.ts'

/** One agent after the other; each reads the answer of the one before. Ends with the first that has no answer. */
export function chain({ sequence }: Members): Compose {
  return async (context) => {
    let text: string | undefined
    let limited: Parameters<typeof answer>[1]
    for (const member of sequence) {
      const result = await delegateOne(context, member, text ?? context.input)
      if (!hasAnswer(result.outcome)) return endOf(result, result.text || text)
      text = result.text
      limited ??= result.outcome === 'partial' ? result.failure : undefined
      context.keep(text)
    }
    return answer(text ?? '', limited)
  }
}
