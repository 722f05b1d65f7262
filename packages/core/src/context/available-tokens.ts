import type { PreparedAgent } from '@troupe/schema'
import type { Run } from '../session/run.ts'

/** Default share of the context window from which on a conversation is shortened. */
const THRESHOLD = 0.8
/** Default number of tokens reserved for the answer, at most a quarter of the window. */
const ANSWER_TOKENS = 8192

/**
 * Returns the maximum tokens of a request before it is shortened, by the smallest context window of the
 * models, as any of them may be called. `undefined` if no window is known or the strategy is `fail`.
 */
export function availableTokens({ definition }: Run, { models }: PreparedAgent): number | undefined {
  let window = Infinity
  for (const { contextWindow = Infinity } of models) window = Math.min(window, contextWindow)
  if (window === Infinity || definition.context.strategy === 'fail') return undefined
  const answer = definition.settings.maxOutputTokens ?? ANSWER_TOKENS
  return Math.min(window * (definition.context.threshold ?? THRESHOLD), window - Math.min(answer, window / 4))
}
