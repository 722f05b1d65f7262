import { createEventStreamScanner, type EventStreamScanner } from './event-stream-scanner.ts'
import { createLossResponse, oversizeMessage, type LossCode } from '../stdio/loss-response.ts'

/** Options of `guardedEventStream`. */
export interface GuardedStreamOptions {
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
    fail(controller, watch, { code: 'mcp_closed', message: 'The server broke off its answer.' })
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
