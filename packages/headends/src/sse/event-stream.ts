import type { Clock } from '@troupe/schema'
import type { Caller } from '../headend/headend.ts'

/** Options of a response with server-sent events. */
interface SseResponseOptions {
  readonly clock: Clock
  readonly caller: Pick<Caller, 'cut'>
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Time without data after which a heartbeat comment is sent, in ms, because clients and proxies close
   * silent connections. Default: 15 s.
   */
  readonly heartbeatMs?: number
  /** Maximum time that a client may leave data unread before it is disconnected, in ms. Default: 30 s. */
  readonly maxUnreadMs?: number
}

/** A heartbeat comment. */
const HEARTBEAT = ': beat\n\n'
const HEARTBEAT_MS = 15_000
const MAX_UNREAD_MS = 30_000

/** Creates a response with server-sent events. The source is read only as fast as the client reads. */
export function eventStream(source: EventProducer, options: SseResponseOptions): Response {
  return new Response(bodyOf(source, options), { headers: { ...HEADERS, ...options.headers } })
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  // Marks the length as unknown, so that the server sends data without buffering it first.
  'transfer-encoding': 'chunked',
}

function bodyOf(
  source: EventProducer,
  { clock, caller, heartbeatMs = HEARTBEAT_MS, maxUnreadMs = MAX_UNREAD_MS }: SseResponseOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let cancelDisconnect: (() => void) | undefined
  let wake: (() => void) | undefined
  source.onReady(() => wake?.())
  /** Resolves with true when there may be something to read, or with false when a heartbeat is due. */
  const ready = (): Promise<boolean> =>
    new Promise((resolve) => {
      const cancel = clock.after(heartbeatMs, () => resolve(false))
      wake = () => {
        cancel()
        resolve(true)
      }
    })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        cancelDisconnect?.()
        let piece = source.read()
        while (piece === undefined && !source.isOver) piece = (await ready()) ? source.read() : HEARTBEAT
        if (piece === undefined) {
          source.close()
          return controller.close()
        }
        controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece)
        cancelDisconnect = clock.after(maxUnreadMs, () => caller.cut())
      },
      cancel() {
        cancelDisconnect?.()
        source.close()
      },
    },
    { highWaterMark: 0 },
  )
}

/** A source of server-sent events. */
export interface EventProducer {
  /**
   * Returns the finished blocks that can be sent now, or `undefined` if there are none. Called only when the
   * client can take more. The bytes may be shared by several clients.
   */
  read(): string | Uint8Array | undefined
  /** True if no more events will come. There may still be some to read. */
  readonly isOver: boolean
  /**
   * Sets the single listener that is called when there is something to read or the stream is over, even if
   * that was so before this call.
   */
  onReady(listener: () => void): void
  /** Closes the source. Called when the client has disconnected or the stream was read to its end. */
  close(): void
}
