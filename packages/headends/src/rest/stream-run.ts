import type { Failure, RunListener, RunReport } from '@troupe/schema'
import { beginRun } from '../begin-run.ts'
import { errorBody, errorResponse } from '../error-response.ts'
import { eventStream } from '../event-stream.ts'
import { createEventWriter } from '../event-writer.ts'
import type { Caller } from '../caller.ts'
import type { HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { createOutbox } from '../outbox.ts'
import { sseBlock } from '../sse-block.ts'
import { envelopeOf } from './answer-report.ts'

/** Maximum wait for the first event before a stream is opened, in ms. */
const FIRST_NEWS_MS = 250

/**
 * Streams the events of a run tree. The last event, `report`, holds the report or the error. A run that
 * cannot start becomes an error response.
 */
export async function streamRun(
  run: (onEvent: RunListener) => Promise<RunReport | Failure>,
  {
    caller,
    clock,
    headers,
  }: { readonly caller: Caller; readonly headers: Readonly<Record<string, string>> } & Pick<
    HeadendContext,
    'clock'
  >,
): Promise<Response> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const cancel = clock.after(FIRST_NEWS_MS, () => resolve(undefined))
  const begun = await beginRun(run, late)
  cancel()
  if ('refused' in begun) return errorResponse(begun.refused)
  const outbox = createOutbox({ dropped: () => caller.cut() })
  const write = createEventWriter()
  begun.listen((event) => outbox.push(write(event)))
  void begun.end.then((end) => {
    const data = isFailure(end) ? errorBody(end) : envelopeOf(end)
    outbox.push(sseBlock(data, { event: 'report' }))
    outbox.end()
  })
  return eventStream(outbox, { clock, caller, headers })
}
