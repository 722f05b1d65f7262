import type { Caller } from '@troupe/headends'
import type { Clock } from '@troupe/schema'
import type { Context } from 'hono'
import type { RequestCheck, ServerBindings } from './gate.ts'

/** Logged status if the client disconnected before there was a response. */
const CLIENT_LEFT = 499

/**
 * Creates a check that accepts every request, and logs it when the last byte of the response was sent or the
 * client has disconnected.
 */
export function accessLog(clock: Clock, log: (record: AccessRecord) => void): RequestCheck {
  return (context) => {
    const time = clock.now()
    const startedAt = clock.monotonic()
    const { outgoing } = context.env
    const { method, path } = context.req
    outgoing.once('close', () => {
      // `undefined` if the request was rejected.
      const caller: Caller | undefined = context.env.caller
      const headend = context.get('headend')
      const runId = runOf(context)
      log({
        time,
        method,
        path,
        status: outgoing.headersSent ? outgoing.statusCode : CLIENT_LEFT,
        durationMs: toMicroseconds(clock.monotonic() - startedAt),
        ...(caller === undefined ? {} : { principal: caller.principal }),
        ...(headend === undefined ? {} : { headend }),
        ...(runId === undefined ? {} : { runId }),
        ...(outgoing.writableFinished ? {} : { aborted: true }),
      })
    })
    return undefined
  }
}

/** Returns the run of a response; `undefined` if the client disconnected before there was one. */
function runOf(context: Context<ServerBindings>): string | undefined {
  return context.finalized ? (context.res.headers.get(RUN_ID) ?? undefined) : undefined
}

const RUN_ID = 'troupe-run-id'

/** Rounds a time in ms to microseconds. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

/** An entry of the access log. It contains neither queries nor bodies. */
export interface AccessRecord {
  /** Wall time of the request, in ms. */
  readonly time: number
  /** The method of the request. */
  readonly method: string
  /** The path of the request, without its query. */
  readonly path: string
  /** The status of the response. */
  readonly status: number
  /** Time from the request to the end of the response, in ms. */
  readonly durationMs: number
  /** `undefined` if the request was rejected. */
  readonly principal?: string
  /** Name of the headend that responded; `undefined` if none did. */
  readonly headend?: string
  /** The run that the request started or read. */
  readonly runId?: string
  /** Set if the client disconnected before the end of the response. */
  readonly aborted?: true
}
