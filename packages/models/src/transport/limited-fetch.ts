import { TimeoutWatch, type TimeoutRules } from './timeout-watch.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { isJsonObject, troupeError } from '@troupe/schema'

/** Timeouts and formats of a provider's responses. */
interface TransportRules extends TimeoutRules {
  /** Format of a stream. */
  readonly streams: BodyFormat
}

/** Longest wait of Node's `fetch` for headers and between chunks, in ms. */
const FETCH_MAX_WAIT_MS = 300_000

/**
 * Creates a `fetch` that closes the connection if a provider cannot be reached, times out or sends too much.
 * Throws `model_timeout`, `model_bad_stream`, `model_bad_request` or `model_output_too_long`, also while the
 * body is read. `plain` makes the requests; default: the global `fetch`.
 */
export function limitedFetch(plain: typeof fetch | undefined, rules: TransportRules): typeof fetch {
  const send = plain ?? globalFetch(rules)
  return async (input, init = {}) => {
    const watch = new TimeoutWatch(rules, init.signal ?? undefined)
    try {
      const controller = new AbortController()
      watch.setClose((why) => controller.abort(why))
      const request = (): Promise<Response> => send(input, { ...init, signal: controller.signal })
      const response = await (plain === undefined ? observeConnecting(watch, request) : request())
      if (response.body === null) {
        watch.end()
        return response
      }
      const { status, statusText, headers, ok } = response
      const check = createBodyCheck(ok && asksForStream(init.body) ? rules.streams : 'whole', rules.provider)
      return new Response(readBody(response.body, watch, check), { status, statusText, headers })
    } catch (thrown) {
      watch.end()
      throw watch.abandoned === undefined ? thrown : watch.abandoned.why
    }
  }
}

/** Returns the global `fetch`, without its own limits if the rules allow longer waits. */
function globalFetch({ timeouts }: TransportRules): typeof fetch {
  if (Math.max(timeouts.firstByte, timeouts.idle) <= FETCH_MAX_WAIT_MS)
    return (...request) => fetch(...request)
  return async (input, init) => {
    // loaded on demand: it takes far longer to load than a request to send
    const { getGlobalDispatcher } = await import('undici')
    const dispatcher = getGlobalDispatcher().compose(
      (dispatch) => (options, handler) =>
        dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
    )
    return fetch(input, Object.assign({}, init, { dispatcher }))
  }
}

function asksForStream(body: unknown): boolean {
  return typeof body === 'string' && body.includes('"stream":true')
}

/** Returns the body, read chunk by chunk on demand. `check` is called with each chunk and with `undefined` at the end. */
function readBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  watch: TimeoutWatch,
  check: (piece: Uint8Array | undefined) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  // cancel the body instead of aborting the signal: once a response has started, `fetch` would reject promises
  // that have no handler
  watch.setClose((why) => {
    reader.cancel(why).catch(() => {
      // already ended or broken: nothing is left to close
    })
  })
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (watch.abandoned !== undefined) throw watch.abandoned.why
          check(value)
          if (done) {
            watch.end()
            controller.close()
            return
          }
          watch.touch()
          controller.enqueue(value)
        } catch (thrown) {
          watch.abandon(thrown)
          throw watch.abandoned?.why ?? thrown
        }
      },
      cancel: (reason) => {
        watch.end()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** The watch of the request that is being made. */
const watches = new AsyncLocalStorage<TimeoutWatch>()
/** The watches by undici's request. */
const requests = new WeakMap<object, TimeoutWatch>()
let isSubscribed = false

/**
 * Calls `send`, and switches the watch to `connect` while the request of Node's `fetch` waits for a connection.
 * `fetch` reports this by diagnostics channels only. Runtimes without them have no `connect` phase.
 */
function observeConnecting<T>(watch: TimeoutWatch, send: () => Promise<T>): Promise<T> {
  if (!isSubscribed) subscribeToFetch()
  isSubscribed = true
  return watches.run(watch, send)
}

function subscribeToFetch(): void {
  subscribe('undici:request:create', (message) => {
    const watch = watches.getStore()
    const request = requestOf(message)
    // a proxy is reached by a CONNECT request of its own, which belongs to connecting
    if (watch === undefined || request === undefined || request.method === 'CONNECT') return
    requests.set(request, watch)
    watch.enter('connect')
  })
  subscribe('undici:client:sendHeaders', (message) => {
    const request = requestOf(message)
    if (request !== undefined) requests.get(request)?.enter('firstByte')
  })
}

function requestOf(message: unknown): { readonly method?: unknown } | undefined {
  if (typeof message !== 'object' || message === null || !('request' in message)) return undefined
  const { request } = message
  return typeof request === 'object' && request !== null ? request : undefined
}

/** Format of a body: one text, server-sent events, or JSON lines. */
type BodyFormat = 'whole' | 'events' | 'lines'

/** Far above any real answer: events take some hundred bytes per chunk of text. */
const MAX_BYTES = 67_108_864
const OPENING_BRACE = 0x7b

/**
 * Creates a check to call with each chunk of a body, and with `undefined` at its end. Throws for faults that
 * adapters do not detect.
 */
function createBodyCheck(form: BodyFormat, provider: string): (piece: Uint8Array | undefined) => void {
  const checkLines = form === 'lines' ? createLineCheck() : undefined
  let bytes = 0
  return (piece) => {
    if (bytes === 0 && form === 'events' && piece?.[0] === OPENING_BRACE) throw notStreamed(provider)
    bytes += piece?.length ?? 0
    if (bytes > MAX_BYTES)
      throw troupeError(
        'model_output_too_long',
        `${provider} was stopped: its answer has more than ${MAX_BYTES} bytes.`,
      )
    checkLines?.(piece)
  }
}

function notStreamed(provider: string): Error {
  return troupeError('model_bad_request', `${provider} returned JSON instead of a stream.`, {
    fix: `Set \`providers.${provider}.stream\` to false.`,
  })
}

/**
 * Creates a check for JSON lines. The adapter skips invalid lines, which would lose part of the answer, and
 * lines with errors.
 */
function createLineCheck(): (piece: Uint8Array | undefined) => void {
  const decoder = new TextDecoder()
  let rest = ''
  return (piece) => {
    const lines = (rest + decoder.decode(piece, { stream: piece !== undefined })).split('\n')
    rest = piece === undefined ? '' : (lines.pop() ?? '')
    for (const line of lines) if (line.trim() !== '') checkLine(line)
  }
}

function checkLine(line: string): void {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw troupeError('model_bad_stream', 'The model sent a line that is not valid JSON.', { cause })
  }
  if (!isJsonObject(value) || value['error'] === undefined) return
  const { error } = value
  throw troupeError(
    'model_overloaded',
    `The model ended its answer with an error: ${typeof error === 'string' ? error : JSON.stringify(error)}`,
  )
}
