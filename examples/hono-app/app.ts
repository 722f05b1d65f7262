import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { streamSSE } from 'hono/streaming'
import type { Host } from 'troupe'

/** Creates an app whose route `POST /ask` takes a question as text and streams the answer as server-sent events. */
export function createApp(host: Host): Hono {
  const app = new Hono()
  app.post('/ask', bodyLimit({ maxSize: 8192 }), async (c) => {
    const question = await c.req.text()
    if (question.trim() === '') return c.text('Send a question as the body.', 400)
    return streamSSE(c, async (stream) => {
      const stop = new AbortController()
      // a client that disconnects cancels the run
      stream.onAbort(() => stop.abort())
      const run = host.stream('guide', question, { signal: stop.signal })
      for (;;) {
        const next = await run.next()
        if (next.done === true) {
          const { outcome, output, usage } = next.value
          await stream.writeSSE({ event: 'end', data: JSON.stringify({ outcome, text: output.text, usage }) })
          return
        }
        const event = next.value
        if (event.type === 'text-delta' && event.depth === 0)
          await stream.writeSSE({ event: 'text', data: JSON.stringify(event.text) })
        if (event.type === 'run-start' && event.depth > 0)
          await stream.writeSSE({ event: 'agent', data: event.instance })
      }
    })
  })
  return app
}
