import { userMessage, type Failure, type PreparedAgent } from '@troupe/schema'
import { askModel } from '../model/ask-model.ts'
import { toOutput } from '../model/output.ts'
import { endOfStoppedRun, appendMessage, appendEvent, type RunEnd, type Run } from '../run/run.ts'

/**
 * Gives the model one more turn, with the problem as input, if its answer does not match the schema. The turn
 * may not call tools. If the new answer does not match either, the run fails.
 */
export async function repairAnswer(run: Run, prepared: PreparedAgent, end: RunEnd): Promise<RunEnd> {
  if (run.output.schema === undefined || run.cancellation.reason !== undefined) return end
  const { failure: mismatch } = toOutput(run, end)
  if (mismatch === undefined) return end
  const { code, message } = mismatch
  const request = requestFor(mismatch, end)
  const step = { key: `ask:${run.turn + 1}`, value: request }
  appendEvent(run, 'warning', { code, message: `${message} The model is asked once more.` }, { step })
  run.turn += 1
  appendEvent(run, 'turn-start', { turn: run.turn })
  appendMessage(run, userMessage(request))
  const answer = await askModel(run, prepared, { mayCall: false })
  if (run.cancellation.reason !== undefined) return endOfStoppedRun(run)
  // keep the first answer: its mismatch is the failure to report
  if ('failure' in answer) return end
  appendMessage(run, answer.message)
  appendEvent(run, 'turn-end', { turn: run.turn, finishReason: answer.finishReason, toolCalls: 0 })
  return { ...(answer.finishReason === 'length' ? end : withoutCut(end)), text: answer.text }
}

function requestFor(mismatch: Failure, end: RunEnd): string {
  const wrong = isCut(end) ? 'Your answer was cut off before its end. Make it shorter.' : mismatch.message
  return `${wrong}\nGive the whole answer again, as JSON that fits the schema, and nothing else.`
}

/** Removes the failure of a cut-off answer, because the new answer is complete. */
function withoutCut(end: RunEnd): RunEnd {
  return isCut(end) ? { outcome: 'completed', text: end.text } : end
}

function isCut({ failure }: RunEnd): boolean {
  return failure?.code === 'model_output_cut'
}
