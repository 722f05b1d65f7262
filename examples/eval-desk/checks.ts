import type { CheckArgument } from '@troupe/evals'

/** Checks that an answer has one sentence only. */
export function isOneSentence({ output }: CheckArgument): {
  readonly passed: boolean
  readonly message: string
} {
  const sentences = output.split(/[.!?](?:\s|$)/u).filter((sentence) => sentence.trim() !== '')
  return { passed: sentences.length === 1, message: `the answer has ${sentences.length} sentences` }
}
