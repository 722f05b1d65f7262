import type { PreparedAgent } from '@troupe/schema'
import type { CallOptions } from '../model/call-model.ts'
import { modelStep } from '../model/model-step.ts'
import { isRecalled } from '../journal/recall-answer.ts'
import type { Run } from '../session/run.ts'
import { estimateContext } from './context-size.ts'
import { recallView } from './kept-view.ts'
import { roomOf } from './room.ts'
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
  const room = roomOf(run, prepared)
  if (room === undefined || isRecalled(run) || estimateContext(run, prepared) <= room)
    return modelStep(run, prepared, options)
  return shortenContext(run, prepared, { reason: 'threshold', room }).then(() =>
    modelStep(run, prepared, options),
  )
}
