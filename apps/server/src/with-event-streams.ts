import type { getRequestListener, HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import type { EventStreams } from './event-streams.ts'
import type { ServerBindings, EventStreamBindings } from './gate.ts'

type FetchHandler = Parameters<typeof getRequestListener>[0]

/**
 * Wraps the app so that event streams are written directly to the connection. Web streams would cost more
 * than the runs themselves.
 */
export function withEventStreams(app: Hono<ServerBindings>, streams: EventStreams): FetchHandler {
  return async (request, given) => {
    // HTTP/2 is not served
    const bindings: HttpBindings & EventStreamBindings = given as HttpBindings
    const response = await app.fetch(request, bindings)
    const { stream, outgoing } = bindings
    if (stream === undefined) {
      for (const [name, value] of Object.entries(NOSNIFF_HEADERS)) response.headers.set(name, value)
      // Streams of libraries, such as the MCP SDK. Without this header, proxies may buffer their events.
      if (response.headers.get('content-type')?.startsWith('text/event-stream') === true)
        response.headers.set('x-accel-buffering', 'no')
      return response
    }
    // Headers that middleware has added for pages of other origins.
    const added = response === RESPONSE_ALREADY_SENT ? {} : Object.fromEntries(response.headers)
    streams.open(outgoing, { ...stream.headers, ...NOSNIFF_HEADERS, ...added }, stream.events)
    return RESPONSE_ALREADY_SENT
  }
}

const NOSNIFF_HEADERS = { 'x-content-type-options': 'nosniff' }
