import type { Clock } from '@troupe/schema'
import { accepts } from '../accepts.ts'
import type { RunService } from '../run-service/run-service.ts'
import type { RunState } from '../run-service/run-summary.ts'
import { eventStream } from '../event-stream.ts'
import type { EventFeeds } from '../feeds/event-feeds.ts'
import type { Handler } from '../handler.ts'
import { runRefOf } from './run-ref-of.ts'
import { readCount } from './read-count.ts'

const AFTER = { what: 'Last-Event-ID: this is no number', fallback: 0 } as const
const LIMIT = { what: 'limit: this is no number of events', most: 1000, fallback: 1000 } as const

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
