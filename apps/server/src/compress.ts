import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { MiddlewareHandler } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import { COMPRESSIBLE_CONTENT_TYPE_REGEX } from 'hono/utils/compress'
import type { ServerBindings } from './gate.ts'

/** A content coding of an answer. */
export type Encoding = 'br' | 'gzip'

/** Returns the first of the encodings that a client takes; `undefined` if it takes none. A client that accepts several equally has no say in the order. */
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

/** Shorter answers are sent as they are: they fit into one packet. */
const SHORTEST = 1024
const compressBytes = promisify(gzip)

/**
 * Compresses answers that are whole texts, on a thread of its own. Streams of events are written past it, and answers with an `ETag` have encodings of their own.
 * The compress middleware of hono would also compress the many answers of a few bytes, whose length it does not know.
 */
export const compressAnswers: MiddlewareHandler<ServerBindings> = async (context, next) => {
  await next()
  const { res, env, req } = context
  if (env.stream !== undefined || req.method === 'HEAD' || !isCompressible(res)) return
  const body = new Uint8Array(await res.arrayBuffer())
  const encoding =
    body.byteLength < SHORTEST ? undefined : chooseEncoding(req.header('accept-encoding'), ['gzip'])
  const answer = new Response(encoding === undefined ? body : await compressBytes(body), res)
  if (body.byteLength >= SHORTEST) answer.headers.append('vary', 'Accept-Encoding')
  if (encoding !== undefined) answer.headers.set('content-encoding', encoding)
  answer.headers.delete('content-length')
  // hono would give the new answer the headers of the old one
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

/** Headers of answers that have an encoding already, or are sent piece by piece. */
const UNTOUCHED = ['content-encoding', 'etag', 'transfer-encoding', 'x-accel-buffering'] as const
