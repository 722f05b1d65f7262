import { createBodyPipeline, type BodyPipeline } from './body-pipeline.ts'
import type { Dispatcher } from './dispatcher.ts'
import { incomingBody } from './incoming-body.ts'
import type { WatchedRequest } from './limited-fetch.ts'

/** The one kind of request that adapters make. */
export interface TextPost {
  readonly url: URL
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** The POST of a text; undefined: it is another request. */
export function toTextPost(input: string | URL | Request, init: RequestInit): TextPost | undefined {
  const { method, body, headers } = init
  if (method !== 'POST' || typeof body !== 'string' || input instanceof Request) return undefined
  const url = new URL(input)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  return { url, body, headers: Object.fromEntries(new Headers(headers)) }
}

/**
 * Sends by what `fetch` itself sends with, on connections that are kept and shared by all models, and reads the answer in as few pieces as it
 * came in. Undefined: the server sends the request elsewhere, which `fetch` knows how to follow. Rejects as `fetch` does.
 */
export function sendByDispatcher(
  dispatcher: Dispatcher,
  post: TextPost,
  watched: WatchedRequest,
): Promise<Response | undefined> {
  return new Promise((resolve, reject) => new Exchange(watched, { resolve, reject }).begin(dispatcher, post))
}

interface Ends {
  resolve(answer: Response | undefined): void
  reject(reason: unknown): void
}

/** One request and its answer, as they are told of. */
class Exchange {
  readonly #watched: WatchedRequest
  readonly #ends: Ends
  #abort: ((why?: Error) => void) | undefined
  #path: BodyPipeline | undefined

  constructor(watched: WatchedRequest, ends: Ends) {
    this.#watched = watched
    this.#ends = ends
  }

  begin(dispatcher: Dispatcher, { url, body, headers }: TextPost): void {
    const { watch } = this.#watched
    watch.setClose((why) => this.#leave(why))
    if (watch.abandoned !== undefined) return
    watch.enter('connect')
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        headers,
        body,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      this,
    )
  }

  onConnect(abort: (why?: Error) => void): void {
    const { watch } = this.#watched
    this.#abort = abort
    if (watch.abandoned === undefined) watch.enter('firstByte')
    else abort()
  }

  onHeaders(status: number, raw: readonly Buffer[], resume: () => void, statusText: string): boolean {
    if (status < 200) return true
    const headers = linesOf(raw)
    if (isRedirect(status, headers)) {
      this.#ends.resolve(undefined)
      this.#abort?.()
      return false
    }
    const body = HAS_NO_BODY.has(status) ? this.#noBody() : this.#body(status, headers, resume)
    this.#ends.resolve(new Response(body, { status, statusText, headers }))
    return true
  }

  onData(piece: Buffer<ArrayBuffer>): boolean {
    return this.#path?.sink.push(piece) ?? true
  }

  onComplete(): void {
    this.#path?.sink.end({})
  }

  onError(cause: unknown): void {
    // as `fetch` says it: the adapters know this error. One that comes after the answer has begun is told to its body
    this.#ends.reject(new TypeError('fetch failed', { cause }))
    this.#path?.sink.end({ cut: cause })
  }

  #noBody(): null {
    this.#watched.watch.end()
    return null
  }

  #body(status: number, headers: HeaderLines, resume: () => void): ReadableStream<Uint8Array<ArrayBuffer>> {
    this.#path = createBodyPipeline(valueOf('content-encoding', headers), resume)
    return incomingBody(this.#path.buffer, this.#watched, { isOk: status < 300 })
  }

  /** A connection that has not come about yet is left to itself, and closed as soon as it has. */
  #leave(why: unknown): void {
    this.#ends.reject(why)
    this.#path?.buffer.wake()
    this.#abort?.()
  }
}

const HAS_NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

type HeaderLines = [name: string, value: string][]

/** From names and values by turns. */
function linesOf(raw: readonly Buffer[]): HeaderLines {
  const texts = raw.map((bytes) => bytes.toString('latin1'))
  return texts.flatMap((value, at) => (at % 2 === 0 ? [] : [[texts[at - 1] ?? '', value]]))
}

function isRedirect(status: number, headers: HeaderLines): boolean {
  return status >= 300 && status < 400 && valueOf('location', headers) !== undefined
}

function valueOf(name: string, lines: HeaderLines): string | undefined {
  return lines.find(([each]) => each.toLowerCase() === name)?.[1]
}
