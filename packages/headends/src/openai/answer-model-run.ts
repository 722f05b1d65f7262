import type { RunReport } from '@troupe/schema'
import { modelAnswerOf } from '../client-runs/answer-text.ts'
import { isWaitingAnswer, type ModelRunEnd, type WaitingAnswer } from '../client-calls/collect-answer.ts'
import { collectReasoning, type PreparedModelRun } from '../client-calls/model-run.ts'
import { startRunStream, type RunStream } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import { eventStream, createSseBuffer, type SseBuffer } from '../sse/event-stream.ts'
import { openAIError, openAIRunError } from './openai-error.ts'

/** The format of answers in one of the two OpenAI protocols. */
interface AnswerFormat {
  readonly headers: Readonly<Record<string, string>>
  readonly isStream: boolean
  /** True if the body has the reasoning. */
  readonly wantsReasoning: boolean
  /** Streams the answer. With `isWhole` its text is sent in one piece at the end, as for JSON. */
  stream(started: RunStream<ModelRunEnd>, buffer: SseBuffer, answer: { readonly isWhole: boolean }): void
  /** Returns the body with the whole answer. `reasoning` is empty if there is none. */
  body(end: RunReport | WaitingAnswer, reasoning: string): Readonly<Record<string, unknown>>
}

/**
 * Runs an agent and responds with its answer, streamed or whole. A run that cannot start or has no answer
 * becomes an error response; one that a model refused has the finish reason for that.
 */
export async function answerModelRun(
  ready: PreparedModelRun,
  { headers, isStream, wantsReasoning, stream, body }: AnswerFormat,
  { clock, caller }: Pick<HeadendContext, 'clock'> & { readonly caller: Caller },
): Promise<Response> {
  if (isStream) {
    const started = await startRunStream(ready.run)
    if ('refusal' in started) return openAIError(started.refusal, headers)
    const buffer = createSseBuffer({ onOverflow: () => caller.cut() })
    stream(started, buffer, { isWhole: ready.isJson })
    return eventStream(buffer, { clock, caller, headers })
  }
  const { end, reasoning } = await collectReasoning(ready, wantsReasoning)
  const report = isWaitingAnswer(end) ? end : modelAnswerOf(end)
  return isFailure(report)
    ? openAIRunError(report, { headers, now: clock.now() })
    : Response.json(body(report, reasoning), { headers })
}
