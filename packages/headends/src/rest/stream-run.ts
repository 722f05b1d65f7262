import { type Failure, type RunListener, type RunReport } from '@troupe/schema'
import { errorBody } from '../error-response.ts'
import { eventStream } from '../event-stream.ts'
import type { Caller, HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { createOutbox } from '../outbox.ts'
import { runEventBlock } from '../run-event-block.ts'
import { sseBlock } from '../sse-block.ts'
import { envelopeOf } from './answer-report.ts'

/** A run as server-sent events, its own and those of all below it; the last one, `report`, is what the run gave. */
export function streamRun(
  run: (onEvent: RunListener) => Promise<RunReport | Failure>,
  {
    caller,
    clock,
    headers,
  }: { readonly caller: Caller; readonly headers: Readonly<Record<string, string>> } & Pick<
    HeadendContext,
    'clock'
  >,
): Response {
  const outbox = createOutbox({ dropped: () => caller.cut() })
  const running = run((event) => outbox.push(runEventBlock(event)))
  void running.then((end) => {
    const data = isFailure(end) ? errorBody(end) : envelopeOf(end)
    outbox.push(sseBlock(data, { event: 'report' }))
    outbox.end()
  })
  return eventStream(outbox, { clock, caller, headers })
}
