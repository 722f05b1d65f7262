import { createLossResponse, oversizeMessage, type LossCode } from '../messages/loss-response.ts'
import { MessageMeter } from '../messages/message-meter.ts'

/** Options of `guardedEventStream`. */
interface GuardedStreamOptions {
  /** Id of the request that the stream responds to; `undefined` for a notification stream. */
  readonly requestId: string | number | undefined
  readonly maxMessageBytes: number
}

/**
 * Passes a server-sent event stream through. If it breaks, ends without a response or exceeds the message
 * limit, appends an error response for its request, so that the call fails at once. The SDK handles broken
 * streams that can be resumed.
 */
export function guardedEventStream(
  body: ReadableStream<Uint8Array>,
  options: GuardedStreamOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const scanner = createEventStreamScanner(options.maxMessageBytes)
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) end(controller, { scanner, options })
        else await pass(controller, value, { reader, scanner, options })
      } catch (thrown) {
        if (scanner.resumable || options.requestId === undefined) controller.error(thrown)
        else end(controller, { scanner, options })
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

interface Watch {
  readonly scanner: EventStreamScanner
  readonly options: GuardedStreamOptions
}

function end(controller: ReadableStreamDefaultController<Uint8Array>, watch: Watch): void {
  // if a response did arrive, the SDK ignores this second one
  if (!watch.scanner.resumable)
    fail(controller, watch, {
      code: 'mcp_closed',
      message: 'The server ended its response before it was complete.',
    })
  controller.close()
}

async function pass(
  controller: ReadableStreamDefaultController<Uint8Array>,
  chunk: Uint8Array,
  watch: Watch & { readonly reader: ReadableStreamDefaultReader<Uint8Array> },
): Promise<void> {
  watch.scanner.push(chunk)
  const { excess } = watch.scanner
  if (excess === undefined) {
    controller.enqueue(chunk)
    return
  }
  fail(controller, watch, { code: 'mcp_oversize', message: oversizeMessage(excess) })
  controller.close()
  await watch.reader.cancel()
}

function fail(
  controller: ReadableStreamDefaultController<Uint8Array>,
  { options }: Watch,
  loss: { readonly code: LossCode; readonly message: string },
): void {
  if (options.requestId === undefined) return
  // the leading blank line ends an incomplete event
  const event = `\n\ndata: ${JSON.stringify(createLossResponse(options.requestId, loss))}\n\n`
  controller.enqueue(new TextEncoder().encode(event))
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const COLON = 58
const LETTER_I = 105
const LETTER_D = 100

/** Scans the bytes of a server-sent event stream. */
interface EventStreamScanner {
  push(chunk: Uint8Array): void
  /** Size of the current event so far, in bytes. */
  readonly eventBytes: number
  /** Reason why an event is too large; `undefined` if none is. */
  readonly excess: string | undefined
  /** True if the server sends event ids, so that a broken stream can be resumed. */
  readonly resumable: boolean
}

/** Creates a scanner for the start of a stream. */
export function createEventStreamScanner(maxEventBytes: number = Infinity): EventStreamScanner {
  const size = new MessageMeter(maxEventBytes)
  let excess: string | undefined
  let column = 0
  let resumable = false
  let startsWithId = false

  function endEvent(rest: Uint8Array): void {
    size.add(rest)
    excess ??= size.excess
    size.reset()
  }

  function endLine(): void {
    if (startsWithId && column === 2) resumable = true
    column = 0
  }

  function look(byte: number): void {
    if (column === 0) startsWithId = byte === LETTER_I
    else if (column === 1) startsWithId &&= byte === LETTER_D
    else if (column === 2 && startsWithId && byte === COLON) resumable = true
    column += 1
  }

  return {
    push(chunk) {
      let eventStart = 0
      for (let index = 0; index < chunk.length; index += 1) {
        const byte = chunk[index] ?? 0
        if (byte === LINE_FEED) {
          if (column === 0) {
            endEvent(chunk.subarray(eventStart, index + 1))
            eventStart = index + 1
          }
          endLine()
        } else if (byte !== CARRIAGE_RETURN) look(byte)
      }
      size.add(chunk.subarray(eventStart))
    },
    get eventBytes() {
      return size.bytes
    },
    get excess() {
      return excess ?? size.excess
    },
    get resumable() {
      return resumable
    },
  }
}
