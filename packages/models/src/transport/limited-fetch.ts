import { troupeError, type Clock, type TroupeError } from '@troupe/schema'
import { createBodyCheck, type BodyForm } from './body-check.ts'
import type { TransportTimeouts } from './transport-timeouts.ts'

/** What is expected of a provider's answers. */
export interface TransportRules {
  readonly provider: string
  readonly timeouts: TransportTimeouts
  readonly clock: Pick<Clock, 'after'>
  /** How the provider writes a stream. */
  readonly streams: BodyForm
}

/**
 * A `fetch` that gives up on a provider which does not answer, falls silent, or does not end: the request is aborted, which closes its
 * connection, and whoever reads the answer gets a TroupeError: `model_timeout`, `model_bad_stream`, `model_bad_request`, `model_output_too_long`.
 */
export function limitedFetch(plain: typeof fetch, rules: TransportRules): typeof fetch {
  return async (input, init = {}) => {
    const watch = new SilenceWatch(rules, init.signal ?? undefined)
    try {
      const response = await plain(input, { ...init, signal: watch.signal })
      if (response.body === null) {
        watch.end()
        return response
      }
      const form = response.ok && asksForStream(init.body) ? rules.streams : 'whole'
      return withBody(
        response,
        watchedBody(response.body, { watch, check: createBodyCheck(form, rules.provider) }),
      )
    } catch (thrown) {
      watch.end()
      throw watch.reason ?? thrown
    }
  }
}

function asksForStream(body: unknown): boolean {
  return typeof body === 'string' && body.includes('"stream":true')
}

function withBody(response: Response, body: ReadableStream<Uint8Array<ArrayBuffer>>): Response {
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

/** The same bytes, read one piece at a time and only when asked for. */
function watchedBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { watch, check }: { readonly watch: SilenceWatch; readonly check: (piece: Uint8Array | undefined) => void },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  watch.reads(reader)
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          watch.throwIfOver()
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
          throw watch.reason ?? thrown
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

/** One timer for one request, set again with each piece that comes. */
class SilenceWatch {
  /** Why the provider was given up; undefined: it was not. */
  reason: TroupeError | undefined
  readonly signal: AbortSignal
  readonly #rules: TransportRules
  readonly #controller = new AbortController()
  readonly #release: () => void
  #cancel: () => void
  #reader: ReadableStreamDefaultReader | undefined
  /** Why nothing more is read. */
  #over: { readonly why: unknown } | undefined

  constructor(rules: TransportRules, above: AbortSignal | undefined) {
    this.#rules = rules
    this.signal = this.#controller.signal
    const abort = (): void => this.#leave(above?.reason)
    if (above?.aborted === true) abort()
    else above?.addEventListener('abort', abort, { once: true })
    this.#release = () => above?.removeEventListener('abort', abort)
    this.#cancel = this.#arm('firstByte')
  }

  touch(): void {
    this.#cancel()
    this.#cancel = this.#arm('idle')
  }

  /** Nothing more is expected. */
  end(): void {
    this.#cancel()
    this.#release()
  }

  /** Nothing more is wanted: what the answer still holds is not read. */
  abandon(why: unknown): void {
    this.end()
    this.#leave(why)
  }

  /** The answer has begun: from now on leaving it means to cancel its reader. */
  reads(reader: ReadableStreamDefaultReader): void {
    this.#reader = reader
    if (this.#over !== undefined) this.#leave(this.#over.why)
  }

  throwIfOver(): void {
    if (this.#over !== undefined) throw this.#over.why
  }

  /**
   * Closes the connection. Once an answer has begun its signal is not used any more: `fetch` would reject promises that nobody can get hold of,
   * and a program would end with them.
   */
  #leave(why: unknown): void {
    this.#over ??= { why }
    if (this.#reader === undefined) this.#controller.abort(why)
    else
      this.#reader.cancel(why).catch(() => {
        // it has ended, or broken: nothing is left to close
      })
  }

  #arm(phase: keyof TransportTimeouts): () => void {
    const { clock, timeouts, provider } = this.#rules
    const ms = timeouts[phase]
    return clock.after(ms, () => {
      const what = phase === 'firstByte' ? 'did not begin to answer' : 'sent nothing more'
      this.reason = troupeError('model_timeout', `${provider} ${what} within ${ms} ms.`, {
        fix: `Raise \`providers.${provider}.timeouts.${phase}\`, or use a faster model.`,
      })
      this.abandon(this.reason)
    })
  }
}
