import type { PreparedAgent } from '@troupe/schema'
import type { Run } from '../session/run.ts'

/** The share of the window from which on a conversation is shortened, where the card names none. */
const THRESHOLD = 0.8
/** Tokens of the window that are left for the answer where the card says no `maxOutputTokens`; at most a quarter of it. */
const ANSWER_TOKENS = 8192

/** The tokens that a request may have before it is shortened: by the smallest window of the models, as any of them may be asked. Undefined: no window is known. */
export function roomOf({ definition }: Run, { models }: PreparedAgent): number | undefined {
  let window = Infinity
  for (const { contextWindow = Infinity } of models) window = Math.min(window, contextWindow)
  if (window === Infinity || definition.context.strategy === 'fail') return undefined
  const answer = definition.settings.maxOutputTokens ?? ANSWER_TOKENS
  return Math.min(window * (definition.context.threshold ?? THRESHOLD), window - Math.min(answer, window / 4))
}
