import type { RunTreeReplay } from '@troupe/schema'
import type { FailedAnswer } from '../model-faults/classify-model-error.ts'
import type { CompleteAnswer } from '../model/read-answer.ts'
import { callsOf, type RecordedAnswer } from './recall-answer.ts'
import { emitTransient, type Run } from '../session/run.ts'
import { raceCancellation } from '../time/cancellation.ts'

/**
 * Returns the recorded answer instead of calling the model, and emits each text as a single delta.
 * `undefined` if the run was cancelled.
 */
export async function replayAnswer(
  run: Run,
  replay: RunTreeReplay,
): Promise<CompleteAnswer | FailedAnswer | undefined> {
  const given = await raceCancellation(replay.answer(run.request.runId), run.cancellation)
  if (given === undefined) return undefined
  const { failure, partialText, isRetried: retryable, usage: replayed } = given
  if (failure !== undefined)
    return { failure, retryable, replayed, ...(partialText === undefined ? {} : { partialText }) }
  const recorded = given.step as unknown as RecordedAnswer
  const { content, finishReason } = recorded
  for (const part of content) emitPart(run, part)
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return { content, text, calls: callsOf(recorded), finishReason, usage: undefined, received: 0, replayed }
}

function emitPart(run: Run, part: RecordedAnswer['content'][number]): void {
  if (!run.root.log.hasDeltaListeners || (part.type !== 'text' && part.type !== 'reasoning')) return
  const { turn } = run
  const { type, text } = part
  if (type === 'text') emitTransient(run, 'text-start', { turn })
  emitTransient(run, `${type}-delta`, { text })
  if (type === 'text') emitTransient(run, 'text-end', { turn, text })
}
