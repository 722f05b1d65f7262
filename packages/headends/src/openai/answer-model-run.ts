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

/** How one of the two protocols writes an answer. */
export interface AnswerForm {
  readonly headers: Readonly<Record<string, string>>
  readonly isStream: boolean
  /** As it comes; `isWhole`: it is sent only when all of it is there, as JSON is. */
  stream(begun: BegunRun, outbox: Outbox, answer: { readonly isWhole: boolean }): void
  /** The body with the whole answer. */
  body(report: RunReport): Readonly<Record<string, unknown>>
}

/** Runs what a request asks for and answers it, as a stream or in one piece. A run that does not begin, or has no answer, is an error. */
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
