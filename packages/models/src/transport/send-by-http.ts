import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { incomingBody } from './incoming-body.ts'
import type { Watched } from './limited-fetch.ts'
import type { SilenceWatch } from './silence-watch.ts'

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
 * Sends by `node:http`, which takes half the work of `fetch` and does not limit times by itself; connections are kept and shared by all models.
 * Undefined: the server sends the request elsewhere, which `fetch` knows how to follow.
 */
export async function sendByHttp(post: TextPost, watched: Watched): Promise<Response | undefined> {
  const incoming = await send(post, watched.watch)
  if (isRedirect(incoming)) {
    incoming.destroy()
    return undefined
  }
  const { statusCode: status = 0, statusMessage: statusText = '' } = incoming
  const body = HAS_NO_BODY.has(status) ? null : incomingBody(incoming, watched)
  if (body === null) {
    watched.watch.end()
    incoming.resume()
  }
  return new Response(body, { status, statusText, headers: headersOf(incoming) })
}

function send({ url, body, headers }: TextPost, watch: SilenceWatch): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    })
    outgoing.once('response', resolve)
    outgoing.once('socket', (socket) => watchConnection(socket, watch))
    // as `fetch` says it: the adapters know this error. One that comes after the answer has begun is told to its body
    outgoing.on('error', (cause) => reject(new TypeError('fetch failed', { cause })))
    watch.closes(() => outgoing.destroy())
    outgoing.end(body)
  })
}

/** A connection that is kept is there already; another one has a time of its own. */
function watchConnection(socket: Socket & { readonly encrypted?: true }, watch: SilenceWatch): void {
  if (!socket.connecting) return
  watch.enter('connect')
  socket.once(socket.encrypted === true ? 'secureConnect' : 'connect', () => watch.enter('firstByte'))
}

const HAS_NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode < 400 && headers.location !== undefined
}

function headersOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  )
}
