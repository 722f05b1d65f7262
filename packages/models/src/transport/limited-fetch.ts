import { createBodyCheck, type BodyFormat } from './body-check.ts'
import { globalDispatcher } from './dispatcher.ts'
import { sendByDispatcher, toTextPost } from './send-by-dispatcher.ts'
import { sendByFetch } from './send-by-fetch.ts'
import { TimeoutWatch, type TimeoutRules } from './timeout-watch.ts'

/** Timeouts and formats of a provider's responses. */
export interface TransportRules extends TimeoutRules {
  /** Format of a stream. */
  readonly streams: BodyFormat
}

/** Watch and body check of one request. */
export interface WatchedRequest {
  readonly watch: TimeoutWatch
  /**
   * Creates a check to call with each chunk of the body, and with `undefined` at its end. The check throws
   * for faults that adapters do not detect.
   */
  checkFor(answer: { readonly isOk: boolean }): (piece: Uint8Array | undefined) => void
}

/**
 * Creates a `fetch` that closes the connection if a provider cannot be reached, times out or sends too much.
 * Throws `model_timeout`, `model_bad_stream`, `model_bad_request` or `model_output_too_long`, also while the
 * body is read. `plain` makes the requests. By default, text POSTs use the dispatcher of the global `fetch`,
 * other requests the global `fetch`.
 */
export function limitedFetch(plain: typeof fetch | undefined, rules: TransportRules): typeof fetch {
  return async (input, init = {}) => {
    const watch = new TimeoutWatch(rules, init.signal ?? undefined)
    const isStream = asksForStream(init.body)
    const watched: WatchedRequest = {
      watch,
      checkFor: ({ isOk }) => createBodyCheck(isOk && isStream ? rules.streams : 'whole', rules.provider),
    }
    const byFetch = (): Promise<Response> => sendByFetch(plain ?? fetch, [input, init], watched)
    try {
      const post = plain === undefined ? toTextPost(input, init) : undefined
      const dispatcher = globalDispatcher()
      if (post === undefined || dispatcher === undefined) return await byFetch()
      return (await sendByDispatcher(dispatcher, post, watched)) ?? (await byFetch())
    } catch (thrown) {
      watch.end()
      throw watch.abandoned === undefined ? thrown : watch.abandoned.why
    }
  }
}

function asksForStream(body: unknown): boolean {
  return typeof body === 'string' && body.includes('"stream":true')
}
