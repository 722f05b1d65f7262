import type { MiddlewareHandler } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import { COMPRESSIBLE_CONTENT_TYPE_REGEX } from 'hono/utils/compress'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ServerBindings } from './gate.ts'

/** A content encoding of a response. */
export type Encoding = 'br' | 'gzip'

/** Returns the encoding that the client prefers, the earlier of `offered` on a tie, or `undefined` if it accepts none. */
export function chooseEncoding(
  accepted: string | null | undefined,
  offered: readonly Encoding[],
): Encoding | undefined {
  if (accepted === null || accepted === undefined) return undefined
  const wanted = parseAccept(accepted)
  const weightOf = (encoding: string): number => {
    const named = wanted.find(({ type }) => type.toLowerCase() === encoding)
    return (named ?? wanted.find(({ type }) => type === '*'))?.q ?? 0
  }
  const [best] = offered
    .map((encoding) => ({ encoding, weight: weightOf(encoding) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
  return best?.encoding
}

/** In bytes. A shorter response fits into one packet. */
const SHORTEST = 1024
const compressBytes = promisify(gzip)

/**
 * Compresses complete text responses of 1 KiB or more with gzip, off the event loop. Event streams and responses with an `ETag` are sent unchanged.
 * hono's `compress` would also compress short responses, because it skips only those with a `Content-Length`.
 */
export const compressAnswers: MiddlewareHandler<ServerBindings> = async (context, next) => {
  await next()
  const { res, req } = context
  if (req.method === 'HEAD' || !isCompressible(res)) return
  const body = new Uint8Array(await res.arrayBuffer())
  const encoding =
    body.byteLength < SHORTEST ? undefined : chooseEncoding(req.header('accept-encoding'), ['gzip'])
  const answer = new Response(encoding === undefined ? body : await compressBytes(body), res)
  if (body.byteLength >= SHORTEST) answer.headers.append('vary', 'Accept-Encoding')
  if (encoding !== undefined) answer.headers.set('content-encoding', encoding)
  answer.headers.delete('content-length')
  // Without this, hono would copy the headers of the old response to the new one.
  context.res = undefined
  context.res = answer
}

function isCompressible({ status, headers, body }: Response): boolean {
  return (
    body !== null &&
    status !== 206 &&
    UNTOUCHED.every((name) => !headers.has(name)) &&
    !/\bno-transform\b/iu.test(headers.get('cache-control') ?? '') &&
    COMPRESSIBLE_CONTENT_TYPE_REGEX.test(headers.get('content-type') ?? '')
  )
}

/** Headers of responses that already have an encoding or are streamed. */
const UNTOUCHED = ['content-encoding', 'etag', 'transfer-encoding', 'x-accel-buffering'] as const
