import type { Failure, PreparedAgent } from '@troupe/schema'
import type { CallOptions } from '../call-model.ts'
import { modelStep, type ModelAnswer } from '../model-step.ts'
import { isRecalled } from '../recall-answer.ts'
import type { Run } from '../run.ts'
import { estimateContext } from './context-size.ts'
import { roomOf } from './room.ts'
import { shortenContext } from './shorten-context.ts'
import { shortenOverflow } from './shorten-overflow.ts'

/** One turn of the model over the conversation of a run, which is shortened before the call where it comes near the window of the model. */
export async function askModel(
  run: Run,
  prepared: PreparedAgent,
  options: Pick<CallOptions, 'mayCall'>,
): Promise<ModelAnswer | { readonly failure: Failure }> {
  const room = roomOf(run, prepared)
  if (room !== undefined && !isRecalled(run) && estimateContext(run, prepared) > room)
    await shortenContext(run, prepared, { reason: 'threshold', room })
  return modelStep(run, prepared, { ...options, onOverflow: shortenOverflow })
}
