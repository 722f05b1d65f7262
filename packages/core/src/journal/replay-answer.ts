import type { RootReplay } from '@troupe/schema'
import type { FailedAnswer } from '../model-faults/classify-model-error.ts'
import type { Answer } from '../model/read-answer.ts'
import { callsOf, type RecordedAnswer } from './recall-answer.ts'
import { tell, type Run } from '../session/run.ts'
import { untilStop } from '../time/stop.ts'

/**
 * Returns the recorded answer instead of calling the model, and emits each text as a single delta.
 * `undefined` if the run was cancelled.
 */
export async function replayAnswer(run: Run, replay: RootReplay): Promise<Answer | FailedAnswer | undefined> {
  const given = await untilStop(replay.answer(run.request.runId), run.stop)
  if (given === undefined) return undefined
  const { failure, partialText, isRetried: retryable, usage: replayed } = given
  if (failure !== undefined)
    return { failure, retryable, replayed, ...(partialText === undefined ? {} : { partialText }) }
  const recorded = given.step as unknown as RecordedAnswer
  const { content, finishReason } = recorded
  for (const part of content) tellPart(run, part)
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return { content, text, calls: callsOf(recorded), finishReason, usage: undefined, received: 0, replayed }
}

function tellPart(run: Run, part: RecordedAnswer['content'][number]): void {
  if (!run.root.log.watched || (part.type !== 'text' && part.type !== 'reasoning')) return
  const { turn } = run
  const { type, text } = part
  if (type === 'text') tell(run, 'text-start', { turn })
  tell(run, `${type}-delta`, { text })
  if (type === 'text') tell(run, 'text-end', { turn, text })
}
