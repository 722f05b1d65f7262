import { createEventStreamScanner, type EventStreamScanner } from './event-stream-scanner.ts'
import { lostAnswer, oversizeMessage, type LossCode } from '../stdio/lost-answer.ts'

/** What the guard of a stream knows of it. */
export interface EventStreamOptions {
  /** The request that the stream answers; none for a stream of notifications. */
  readonly requestId: string | number | undefined
  readonly maxMessageBytes: number
}

/**
 * The same server-sent events, but a stream that breaks off, ends without its answer or carries a message over the limit ends with
 * a failed answer to its request, so the call fails at once. Streams that can be taken up again are left to the SDK.
 */
export function guardedEventStream(
  body: ReadableStream<Uint8Array>,
  options: EventStreamOptions,
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
  readonly options: EventStreamOptions
}

function end(controller: ReadableStreamDefaultController<Uint8Array>, watch: Watch): void {
  // an answer that did arrive comes first, and this one is then one too many: the SDK drops it
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
  // the blank line first ends the event that was under way
  const event = `\n\ndata: ${JSON.stringify(lostAnswer(options.requestId, loss))}\n\n`
  controller.enqueue(new TextEncoder().encode(event))
}
