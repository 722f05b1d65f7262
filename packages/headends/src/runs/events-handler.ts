import { type Clock, troupeError } from '@troupe/schema'
import type { EventFeeds } from '../feeds/event-feeds.ts'
import type { Handler } from '../headend/headend.ts'
import { accepts } from '../request/read-json.ts'
import type { RunService } from '../run-service/run-service.ts'
import type { RunState } from '../run-service/run-summary.ts'
import { eventStream } from '../sse/event-stream.ts'
import { runRefOf } from './run-handlers.ts'

const AFTER = { what: 'Last-Event-ID: not a number', fallback: 0 } as const
const LIMIT = { what: 'limit: not a number', most: 1000, fallback: 1000 } as const

/**
 * Handles `GET /api/runs/:id/events`: streams events to the end of the run, or returns a page of persisted
 * events if the client accepts JSON.
 */
export function eventsHandler({
  clock,
  runService,
  feeds,
}: {
  readonly clock: Clock
  readonly runService: Pick<RunService, 'look'>
  readonly feeds: EventFeeds
}): Handler {
  return async (call) => {
    const { runId, principal } = runRefOf(call)
    const { lastSeq, state } = await runService.look(runId, principal)
    const { req, env } = call
    const after = readCount(req.header('last-event-id') ?? req.query('after'), AFTER)
    if (accepts(req.raw, ['text/event-stream', 'application/json']) === 'application/json') {
      const limit = readCount(req.query('limit'), LIMIT)
      return Response.json({ events: await feeds.page(runId, { after, limit }), lastSeq })
    }
    // The client has every event. 204 keeps browsers from reconnecting.
    if (isEnd(state) && after >= lastSeq) return new Response(undefined, { status: 204 })
    // A position beyond the end, for example of another run, would wait for events that never come.
    return eventStream(feeds.follow({ runId, after: Math.min(after, lastSeq) }, principal), {
      clock,
      caller: env.caller,
      headers: { 'troupe-run-id': runId },
    })
  }
}

function isEnd(state: RunState): boolean {
  return !['queued', 'running', 'waiting', 'interrupted'].includes(state)
}

/** Options for reading a number from a request. */
export interface CountOptions {
  /** Error message for an invalid number, such as `limit: this is no number`. */
  readonly what: string
  /** Upper limit. Larger numbers are lowered to it. */
  readonly most?: number
  readonly fallback: number
}

/**
 * Parses a non-negative whole number. Returns the fallback for an empty text. Throws `request_invalid` if it
 * is not a number.
 */
export function readCount(text: string | undefined, options: CountOptions): number {
  const { what, most = Number.MAX_SAFE_INTEGER, fallback } = options
  if (text === undefined || text === '') return fallback
  if (!/^\d{1,15}$/u.test(text)) throw troupeError('request_invalid', `${what}.`)
  return Math.min(Number(text), most)
}
