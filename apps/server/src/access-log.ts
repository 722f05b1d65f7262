import type { Caller } from '@troupe/headends'
import type { Clock } from '@troupe/schema'
import type { Context } from 'hono'
import type { AccessRecord } from './access-record.ts'
import type { Check, ServerBindings } from './gate.ts'

/** What is said where the client left before there was an answer. */
const CLIENT_LEFT = 499

/** Tells of every answer when it is over: when its last byte is on its way, or the client has left. */
export function accessLog(clock: Clock, tell: (record: AccessRecord) => void): Check {
  return (context) => {
    const time = clock.now()
    const begun = clock.monotonic()
    const { outgoing } = context.env
    const { method, path } = context.req
    outgoing.once('close', () => {
      // none: it was refused
      const caller: Caller | undefined = context.env.caller
      const headend = context.get('headend')
      const runId = runOf(context)
      tell({
        time,
        method,
        path,
        status: outgoing.headersSent ? outgoing.statusCode : CLIENT_LEFT,
        durationMs: toMicroseconds(clock.monotonic() - begun),
        ...(caller === undefined ? {} : { principal: caller.principal }),
        ...(headend === undefined ? {} : { headend }),
        ...(runId === undefined ? {} : { runId }),
        ...(outgoing.writableFinished ? {} : { aborted: true }),
      })
    })
    return undefined
  }
}

/** The run that an answer is of; of a client that left before there was one nothing is known. */
function runOf(context: Context<ServerBindings>): string | undefined {
  const { stream } = context.env
  if (stream !== undefined) return stream.headers[RUN_ID]
  return context.finalized ? (context.res.headers.get(RUN_ID) ?? undefined) : undefined
}

const RUN_ID = 'troupe-run-id'

/** Time in ms that a clock tells no closer than to the microsecond. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
