import type { FetchLike } from '@modelcontextprotocol/client'
import { isJsonObject, readTraceContext, troupeError, type Clock, type TraceContext } from '@troupe/schema'
import { MessageMeter } from '../messages/message-meter.ts'
import { createLossResponse, oversizeMessage, type LossCode } from '../messages/loss-response.ts'

/**
 * Creates a fetch with bounded responses: a message over the limit fails only its own call and is never held
 * in memory whole.
 */
export function createGuardedFetch(options: { readonly maxMessageBytes: number }): FetchLike {
  const { maxMessageBytes } = options
  return async (url, init) => {
    const { requestId, traceContext } = readRequest(init?.body)
    const response = await fetch(url, withTraceHeaders(init, traceContext))
    if (response.body === null || isRedirect(response)) return response
    if (isEventStream(response))
      return withBody(response, guardedEventStream(response.body, { requestId, maxMessageBytes }))
    const { text, excess } = await readBounded(response.body, maxMessageBytes)
    if (excess === undefined) return withBody(response, text)
    const message = oversizeMessage(excess)
    if (requestId === undefined || !response.ok) return withBody(response, message)
    return Response.json(createLossResponse(requestId, { code: 'mcp_oversize', message }))
  }
}

function isRedirect(response: Response): boolean {
  return response.status >= 300 && response.status < 400
}

function isEventStream(response: Response): boolean {
  return (
    response.ok && (response.headers.get('content-type') ?? '').toLowerCase().startsWith('text/event-stream')
  )
}

function withBody(response: Response, body: string | ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

/** The JSON-RPC request in a body. Its id is `undefined` for notifications and without a body. */
interface SentRequest {
  readonly requestId?: string | number
  readonly traceContext?: TraceContext
}

function readRequest(body: unknown): SentRequest {
  if (typeof body !== 'string') return {}
  const message: unknown = JSON.parse(body)
  if (!isJsonObject(message) || message['method'] === undefined) return {}
  const { id, params } = message
  const meta = isJsonObject(params) ? params['_meta'] : undefined
  const traceContext = isJsonObject(meta) ? readTraceContext(meta) : undefined
  return {
    ...(typeof id === 'string' || typeof id === 'number' ? { requestId: id } : {}),
    ...(traceContext === undefined ? {} : { traceContext }),
  }
}

/** Adds the trace context of a request to its headers, for proxies that do not read bodies. */
function withTraceHeaders(
  init: RequestInit | undefined,
  traceContext: TraceContext | undefined,
): RequestInit | undefined {
  if (traceContext === undefined) return init
  const headers = new Headers(init?.headers)
  for (const [name, value] of Object.entries(traceContext)) headers.set(name, value as string)
  return { ...init, headers }
}

/** Returns the whole body, or why it is too large. */
async function readBounded(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly text: string; readonly excess?: string }> {
  const chunks: Uint8Array[] = []
  const size = new MessageMeter(maxBytes)
  for await (const chunk of body) {
    size.add(chunk)
    const { excess } = size
    if (excess !== undefined) return { text: '', excess }
    chunks.push(chunk)
  }
  return { text: Buffer.concat(chunks, size.bytes).toString('utf8') }
}

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
function guardedEventStream(
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

const MAX_AUTHORIZATION_BYTES = 1024 * 1024
const AUTHORIZATION_TIMEOUT = 30_000

/**
 * Creates the fetch for requests to the authorization server. It sends no headers meant for the MCP server,
 * limits the size of a response and the time it takes, and follows redirects only for GET, because other
 * requests carry secrets.
 */
export function createAuthorizationFetch({ clock }: { readonly clock: Clock }): FetchLike {
  const fetch = createGuardedFetch({ maxMessageBytes: MAX_AUTHORIZATION_BYTES })
  return async (url, init = {}) => {
    const stop = new AbortController()
    const cancel = clock.after(AUTHORIZATION_TIMEOUT, () => stop.abort(tooSlow(url)))
    const signal = init.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal
    const sendsSecrets = (init.method ?? 'GET').toUpperCase() !== 'GET'
    try {
      return await fetch(url, { ...init, signal, redirect: sendsSecrets ? 'error' : 'follow' })
    } finally {
      cancel()
    }
  }
}

function tooSlow(url: string | URL): Error {
  const { origin } = new URL(url)
  return troupeError('mcp_auth_failed', `${origin} did not answer within ${AUTHORIZATION_TIMEOUT / 1000} s.`)
}
