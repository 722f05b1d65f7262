import type { Failure, PreparedAgent } from '@troupe/schema'
import type { CallOptions } from '../call-model.ts'
import { modelStep, type ModelAnswer } from '../model-step.ts'
import type { Run } from '../run.ts'
import { estimateContext } from './context-size.ts'
import { shortenContext } from './shorten-context.ts'

/** The share of the window from which on a conversation is shortened, where the card names none. */
const THRESHOLD = 0.8
/** Tokens of the window that are left for the answer where the card says no `maxOutputTokens`; at most a quarter of it. */
const ANSWER_TOKENS = 8192

/**
 * One turn of the model over a conversation that fits it: shortened before the call where it comes near the window, and once more where the
 * provider says that it is too long. A second such answer is the failure of the run.
 */
export async function askModel(
  run: Run,
  prepared: PreparedAgent,
  options: Pick<CallOptions, 'mayCall'>,
): Promise<ModelAnswer | { readonly failure: Failure }> {
  const room = roomOf(run, prepared)
  if (room !== undefined && estimateContext(run, prepared) > room)
    await shortenContext(run, prepared, { reason: 'threshold', room })
  const step = await modelStep(run, prepared, options)
  if (!('failure' in step) || step.failure.code !== 'context_overflow' || run.stop.reason !== undefined)
    return step
  const isShorter = await shortenContext(run, prepared, { reason: 'overflow', room })
  return isShorter ? modelStep(run, prepared, options) : step
}

/** The tokens that a request may have before it is shortened: by the smallest window of the models, as any of them may be asked. Undefined: no window is known. */
function roomOf({ definition }: Run, { models }: PreparedAgent): number | undefined {
  const windows = models.flatMap(({ contextWindow }) => contextWindow ?? [])
  if (windows.length === 0 || definition.context.strategy === 'fail') return undefined
  const window = Math.min(...windows)
  const answer = definition.settings.maxOutputTokens ?? ANSWER_TOKENS
  return Math.min(window * (definition.context.threshold ?? THRESHOLD), window - Math.min(answer, window / 4))
}
