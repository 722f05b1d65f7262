import type { PreparedAgent } from '@troupe/schema'
import type { CallOptions } from '../model/call-model.ts'
import { modelStep } from '../model/model-step.ts'
import { hasRecordedAnswer } from '../journal/recall-answer.ts'
import type { Run } from '../session/run.ts'
import { estimateContext } from './context-size.ts'
import { recallView } from './view-step.ts'
import { availableTokens } from './available-tokens.ts'
import { shortenContext } from './shorten-context.ts'
import { shortenOverflow } from './shorten-overflow.ts'

/** Asks the model for one turn. Shortens the conversation first if it approaches the context window. */
export function askModel(
  run: Run,
  prepared: PreparedAgent,
  call: Pick<CallOptions, 'mayCall' | 'output'>,
): ReturnType<typeof modelStep> {
  recallView(run)
  const options = { ...call, onOverflow: shortenOverflow }
  const available = availableTokens(run, prepared)
  if (available === undefined || hasRecordedAnswer(run) || estimateContext(run, prepared) <= available)
    return modelStep(run, prepared, options)
  return shortenContext(run, prepared, { reason: 'threshold', available }).then(() =>
    modelStep(run, prepared, options),
  )
}
