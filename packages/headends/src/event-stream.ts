import type { Clock } from '@troupe/schema'
import type { Caller } from './headend.ts'

/** What a stream of server-sent events is filled from. */
export interface EventSource {
  /** What can be sent now, as finished blocks; resolves when there is something. Undefined: it is over. Is asked only when the client can take more. */
  next(): Promise<string | undefined>
  /** The client has left, or the stream was read to its end. */
  close(): void
}

/** How a stream behaves when nothing happens. */
export interface EventStreamOptions {
  readonly clock: Clock
  readonly caller: Pick<Caller, 'cut'>
  readonly headers?: Readonly<Record<string, string>>
  /** Silence after which a comment is sent, in ms: clients and proxies give up on silent connections. Default 15 s. */
  readonly beatMs?: number
  /** How long a client may leave unread what it was sent before it is cut off, in ms. Default 30 s. */
  readonly patienceMs?: number
}

const BEAT = ': beat\n\n'
const BEAT_MS = 15_000
const PATIENCE_MS = 30_000

/** An answer of server-sent events. Its headers go out at once; the source is asked as fast as the client reads and no faster. */
export function eventStream(source: EventSource, options: EventStreamOptions): Response {
  const { clock, caller, headers = {}, beatMs = BEAT_MS, patienceMs = PATIENCE_MS } = options
  const encoder = new TextEncoder()
  let asked: Promise<string | undefined> | undefined
  let forgive: (() => void) | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        forgive?.()
        asked ??= source.next()
        const text = await orBeat(asked, clock, beatMs)
        if (text !== BEAT) asked = undefined
        if (text === undefined) {
          source.close()
          return controller.close()
        }
        controller.enqueue(encoder.encode(text))
        forgive = clock.after(patienceMs, () => caller.cut())
      },
      cancel() {
        forgive?.()
        source.close()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      // known to be of no known length, so that nobody waits to find out
      'transfer-encoding': 'chunked',
      ...headers,
    },
  })
}

/** What comes first: the next text, or the time for a sign of life. */
function orBeat(next: Promise<string | undefined>, clock: Clock, ms: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve(BEAT))
    next.then(
      (text) => {
        cancel()
        resolve(text)
      },
      (thrown: unknown) => {
        cancel()
        reject(thrown instanceof Error ? thrown : new TypeError(String(thrown)))
      },
    )
  })
}
