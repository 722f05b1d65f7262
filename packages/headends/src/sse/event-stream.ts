import type { Clock, RunEvent } from '@troupe/schema'
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
  let cancelHeartbeat: (() => void) | undefined
  let wake: (() => void) | undefined
  source.onReady(() => wake?.())
  /** Waits for the next piece. Returns a heartbeat if none comes in time, and `undefined` at the end of the source. */
  const nextPiece = async (): Promise<string | Uint8Array | undefined> => {
    let piece = source.read()
    if (piece !== undefined || source.isOver) return piece
    let isHeartbeatDue = false
    // one timer for the whole wait, because a source may be ready often without anything to read
    cancelHeartbeat = clock.after(heartbeatMs, () => {
      isHeartbeatDue = true
      wake?.()
    })
    while (piece === undefined && !source.isOver) {
      await new Promise<void>((resolve) => (wake = resolve))
      piece = source.read() ?? (isHeartbeatDue ? HEARTBEAT : undefined)
    }
    cancelHeartbeat()
    return piece
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        cancelDisconnect?.()
        const piece = await nextPiece()
        if (piece === undefined) {
          source.close()
          return controller.close()
        }
        controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece)
        cancelDisconnect = clock.after(maxUnreadMs, () => caller.cut())
      },
      cancel() {
        cancelDisconnect?.()
        cancelHeartbeat?.()
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

/** Returns the same events with another `close`. */
export function withClose(events: EventProducer, close: () => void): EventProducer {
  return {
    read: () => events.read(),
    get isOver() {
      return events.isOver
    },
    onReady: (listener) => events.onReady(listener),
    close,
  }
}

/** Formats a server-sent event. A string is sent as it is, other data as JSON on one line. */
export function sseBlock(
  data: unknown,
  { id, event }: { readonly id?: number | string | undefined; readonly event?: string | undefined } = {},
): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}

/**
 * Formats a run event as a server-sent event. A persistent event has its `seq` as id, so that a client can
 * resume after it.
 */
export function runEventBlock(event: RunEvent): string {
  return sseBlock(event, { id: event.seq })
}

/** A buffer of events for one client. */
export interface SseBuffer extends EventProducer {
  push(text: string): void
  /** Marks the stream as complete. */
  end(): void
}

/** Maximum length of the unread text of one client, in characters. */
const MAX_LENGTH = 1024 * 1024

/**
 * Creates an empty buffer. Text that is pushed in one turn of the event loop is sent in one write, because
 * fast models emit many pieces per turn. Pushing never blocks a run: if a client leaves more than 1 MiB
 * unread, the buffer is closed and `onOverflow` is called, because no event may be skipped.
 */
export function createSseBuffer({ onOverflow }: { onOverflow(): void }): SseBuffer {
  return new ClientSseBuffer(onOverflow)
}

/**
 * A class, because every stream has one and an object literal with a getter is only freed by a full garbage
 * collection.
 */
class ClientSseBuffer implements SseBuffer {
  isOver = false
  readonly #onOverflow: () => void
  #text = ''
  #isCalling = false
  #listener: (() => void) | undefined

  constructor(onOverflow: () => void) {
    this.#onOverflow = onOverflow
  }

  push(block: string): void {
    if (this.isOver) return
    this.#text += block
    if (this.#text.length <= MAX_LENGTH) return this.#callSoon()
    this.close()
    this.#onOverflow()
  }

  end(): void {
    this.isOver = true
    this.#listener?.()
  }

  close(): void {
    this.isOver = true
    this.#text = ''
    this.#listener?.()
  }

  read(): string | undefined {
    const text = this.#text
    this.#text = ''
    return text === '' ? undefined : text
  }

  onReady(listener: () => void): void {
    this.#listener = listener
    if (this.isOver || this.#text !== '') this.#callSoon()
  }

  #callSoon(): void {
    if (this.#isCalling || this.#listener === undefined) return
    this.#isCalling = true
    setImmediate(() => {
      this.#isCalling = false
      this.#listener?.()
    })
  }
}
