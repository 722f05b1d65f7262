import type { Failure, RunReport } from '@troupe/schema'
import { answerOf } from '../answer-of.ts'
import { beginRun, type BegunRun } from '../begin-run.ts'
import { eventStream } from '../event-stream.ts'
import type { Caller } from '../caller.ts'
import type { HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import type { ReadyModelRun } from '../model-run.ts'
import { createOutbox, type Outbox } from '../outbox.ts'
import { openAIError } from './openai-error.ts'

/** The format of answers in one of the two OpenAI protocols. */
export interface AnswerForm {
  readonly headers: Readonly<Record<string, string>>
  readonly isStream: boolean
  /** Streams the answer. With `isWhole` its text is sent in one piece at the end, as for JSON. */
  stream(begun: BegunRun, outbox: Outbox, answer: { readonly isWhole: boolean }): void
  /** Returns the body with the whole answer. */
  body(report: RunReport): Readonly<Record<string, unknown>>
}

/**
 * Runs an agent and responds with its answer, streamed or whole. A run that cannot start or has no answer
 * becomes an error response.
 */
export async function answerModelRun(
  ready: ReadyModelRun | Failure,
  { headers, isStream, stream, body }: AnswerForm,
  { clock, caller }: Pick<HeadendContext, 'clock'> & { readonly caller: Caller },
): Promise<Response> {
  if (isFailure(ready)) return openAIError(ready)
  if (isStream) {
    const begun = await beginRun(ready.run)
    if ('refused' in begun) return openAIError(begun.refused, headers)
    const outbox = createOutbox({ dropped: () => caller.cut() })
    stream(begun, outbox, { isWhole: ready.isJson })
    return eventStream(outbox, { clock, caller, headers })
  }
  const report = answerOf(await ready.run())
  return isFailure(report) ? openAIError(report, headers) : Response.json(body(report), { headers })
}
