import { createBodyCheck, type BodyForm } from './body-check.ts'
import { globalDispatcher } from './dispatcher.ts'
import { sendByDispatcher, toTextPost } from './send-by-dispatcher.ts'
import { sendByFetch } from './send-by-fetch.ts'
import { SilenceWatch, type SilenceRules } from './silence-watch.ts'

/** What is expected of a provider's answers. */
export interface TransportRules extends SilenceRules {
  /** How the provider writes a stream. */
  readonly streams: BodyForm
}

/** What looks at one request and its answer. */
export interface Watched {
  readonly watch: SilenceWatch
  /** Looks at the body of an answer, piece by piece, `undefined` being its end; throws for what no adapter notices. */
  checkFor(answer: { readonly isOk: boolean }): (piece: Uint8Array | undefined) => void
}

/**
 * A `fetch` that gives up on a provider which cannot be reached, does not answer, falls silent, or does not end: its connection is closed, and
 * whoever reads the answer gets a TroupeError: `model_timeout`, `model_bad_stream`, `model_bad_request`, `model_output_too_long`.
 * `plain` makes the requests. Default: what the global `fetch` sends with for the POST of a text, which is all that adapters send, else that `fetch`.
 */
export function limitedFetch(plain: typeof fetch | undefined, rules: TransportRules): typeof fetch {
  return async (input, init = {}) => {
    const watch = new SilenceWatch(rules, init.signal ?? undefined)
    const isStream = asksForStream(init.body)
    const watched: Watched = {
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
      throw watch.over === undefined ? thrown : watch.over.why
    }
  }
}

function asksForStream(body: unknown): boolean {
  return typeof body === 'string' && body.includes('"stream":true')
}
