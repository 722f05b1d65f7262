import { createBodyCheck, type BodyFormat } from './body-check.ts'
import { observeConnecting } from './observe-connecting.ts'
import { TimeoutWatch, type TimeoutRules } from './timeout-watch.ts'

/** Timeouts and formats of a provider's responses. */
export interface TransportRules extends TimeoutRules {
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
  // cancel the body instead of aborting the signal: once a response has begun, `fetch` would reject promises
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
