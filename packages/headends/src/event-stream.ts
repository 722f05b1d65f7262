import type { Clock } from '@troupe/schema'
import type { EventSource } from './event-source.ts'
import type { Caller } from './caller.ts'

/** How a stream behaves when nothing happens. */
export interface EventStreamOptions {
  readonly clock: Clock
  readonly caller: Pick<Caller, 'cut' | 'stream'>
  readonly headers?: Readonly<Record<string, string>>
  /** Silence after which a comment is sent, in ms: clients and proxies give up on silent connections. Default 15 s. */
  readonly beatMs?: number
  /** How long a client may leave unread what it was sent before it is cut off, in ms. Default 30 s. */
  readonly patienceMs?: number
}

/** A comment that says nothing but that the stream is alive. */
export const BEAT = ': beat\n\n'
/** See {@link EventStreamOptions}. */
export const BEAT_MS = 15_000
/** See {@link EventStreamOptions}. */
export const PATIENCE_MS = 30_000

/**
 * An answer of server-sent events, by the server where it writes streams itself. The source is asked as fast as the client reads and no faster.
 */
export function eventStream(source: EventSource, options: EventStreamOptions): Response {
  const { caller } = options
  const headers = { ...HEADERS, ...options.headers }
  return caller.stream?.(source, headers) ?? new Response(bodyOf(source, options), { headers })
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  // known to be of no known length, so that nobody waits to find out
  'transfer-encoding': 'chunked',
}

function bodyOf(
  source: EventSource,
  { clock, caller, beatMs = BEAT_MS, patienceMs = PATIENCE_MS }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let forgive: (() => void) | undefined
  let wake: (() => void) | undefined
  source.onReady(() => wake?.())
  /** Resolves when there may be something: at once where it is there already. */
  const ready = (): Promise<boolean> =>
    new Promise((resolve) => {
      const cancel = clock.after(beatMs, () => resolve(false))
      wake = () => {
        cancel()
        resolve(true)
      }
    })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        forgive?.()
        let piece = source.read()
        while (piece === undefined && !source.isOver) piece = (await ready()) ? source.read() : BEAT
        if (piece === undefined) {
          source.close()
          return controller.close()
        }
        controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece)
        forgive = clock.after(patienceMs, () => caller.cut())
      },
      cancel() {
        forgive?.()
        source.close()
      },
    },
    { highWaterMark: 0 },
  )
}
