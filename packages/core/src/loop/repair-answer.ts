import { userMessage, type Failure } from '@troupe/schema'
import { askModel } from '../model/ask-model.ts'
import { toOutput } from '../model/output.ts'
import type { PreparedRun } from '../model/prepared-run.ts'
import { endOfStoppedRun, type RunEnd } from '../run/run.ts'

/**
 * Gives the model one more turn, with the problem as input, if its answer does not match the schema. The turn
 * may not call tools. If the new answer does not match either, the run fails.
 */
export async function repairAnswer(run: PreparedRun, end: RunEnd): Promise<RunEnd> {
  if (run.output.schema === undefined || run.cancellation.reason !== undefined) return end
  const { failure: mismatch } = toOutput(run, end, run.prepared)
  if (mismatch === undefined) return end
  const { code, message } = mismatch
  const request = requestFor(mismatch, end)
  const step = { key: `ask:${run.progress.turn + 1}`, value: request }
  run.log.appendEvent('warning', { code, message: `${message} The model gets one retry.` }, { step })
  const turn = run.progress.startTurn()
  run.log.appendEvent('turn-start', { turn })
  run.conversation.append(userMessage(request))
  const answer = await askModel(run, run.prepared, { mayCall: false })
  if (run.cancellation.reason !== undefined) return endOfStoppedRun(run)
  // keep the first answer: its mismatch is the failure to report
  if ('failure' in answer) return end
  run.conversation.append(answer.message)
  run.log.appendEvent('turn-end', { turn, finishReason: answer.finishReason, toolCalls: 0 })
  return { ...(answer.finishReason === 'length' ? end : withoutCut(end)), text: answer.text }
}

function requestFor(mismatch: Failure, end: RunEnd): string {
  const wrong = isCut(end)
    ? 'Your answer was cut off before it was complete. Make it shorter.'
    : mismatch.message
  return `${wrong}\nReply again with the complete answer as JSON that matches the schema, and nothing else.`
}

/** Removes the failure of a cut-off answer, because the new answer is complete. */
function withoutCut(end: RunEnd): RunEnd {
  return isCut(end) ? { outcome: 'completed', text: end.text } : end
}

function isCut({ failure }: RunEnd): boolean {
  return failure?.code === 'model_output_cut'
}
