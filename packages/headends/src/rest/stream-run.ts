import type { Failure, RunListener, RunReport } from '@troupe/schema'
import { startRunStream } from '../start-run-stream.ts'
import { errorBody, errorResponse } from '../error-response.ts'
import { eventStream } from '../event-stream.ts'
import { runEventBlock } from '../run-event-block.ts'
import type { Caller } from '../caller.ts'
import type { HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { createSseBuffer } from '../sse-buffer.ts'
import { sseBlock } from '../sse-block.ts'
import { envelopeOf } from './answer-report.ts'

/** Maximum wait for the first event before a stream is opened, in ms. */
const FIRST_EVENT_TIMEOUT_MS = 250

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
  const cancel = clock.after(FIRST_EVENT_TIMEOUT_MS, () => resolve(undefined))
  const started = await startRunStream(run, late)
  cancel()
  if ('refused' in started) return errorResponse(started.refused)
  const buffer = createSseBuffer({ onOverflow: () => caller.cut() })
  started.listen((event) => buffer.push(runEventBlock(event)))
  void started.end.then((end) => {
    const data = isFailure(end) ? errorBody(end) : envelopeOf(end)
    buffer.push(sseBlock(data, { event: 'report' }))
    buffer.end()
  })
  return eventStream(buffer, { clock, caller, headers })
}
