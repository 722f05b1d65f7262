import { BodyTooLargeError, isFailure, isHookPath, type errorResponse } from '@troupe/headends'
import { errorMessage, failure, type Clock, type Failure } from '@troupe/schema'
import type { Context, MiddlewareHandler, Next } from 'hono'
import { createHash } from 'node:crypto'
import type { ServerBindings } from './gate.ts'

/** The first request with a key. */
interface IdempotencyRecord {
  /** Hash of path, query and body. */
  readonly digest: string
  readonly at: number
  /** Resolves with the response to replay, or with `undefined` if it cannot be replayed. */
  readonly answer: Promise<ReplayableResponse | undefined>
}

interface ReplayableResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: ArrayBuffer
}

const DAY = 86_400_000
const MOST_KEYS = 1000
const LONGEST_KEY = 255
/** Statuses of conflicts and of limits, which another attempt may not meet. */
const TEMPORARY: ReadonlySet<number> = new Set([409, 429])
/** Maximum size of a stored response body, in bytes. */
const LARGEST = 1024 * 1024

/**
 * Handles `Idempotency-Key`. A POST that is repeated gets the response of the first one, and waits for it if
 * necessary. If that response is not final (see {@link isFinal}), one of the waiting requests is handled
 * next. Final responses are stored in memory for a day.
 */
export function answerRepeats({
  clock,
  toError,
}: {
  readonly clock: Clock
  toError(path: string): typeof errorResponse
}): MiddlewareHandler<ServerBindings> {
  // In the order of the first requests.
  const records = new Map<string, IdempotencyRecord>()
  return (context, next) => {
    const { method, path } = context.req
    // A response to a webhook must not be replayed before its signature is verified.
    const isRepeatable = method === 'POST' && !isHookPath(path)
    const key = isRepeatable ? context.req.header('idempotency-key') : undefined
    return key === undefined ? next() : answerOnce(key, context, next)
  }

  async function answerOnce(
    key: string,
    context: Context<ServerBindings>,
    next: Next,
  ): Promise<Response | undefined> {
    const { req } = context
    const refuse = toError(req.path)
    if (key === '' || key.length > LONGEST_KEY)
      return refuse(failure('request_invalid', `Idempotency-Key: must have 1 to ${LONGEST_KEY} characters.`))
    const body = await readAll(req.raw)
    if (isFailure(body)) return refuse(body)
    req.raw = withBody(req.raw, body)
    const name = `${context.env.caller.principal}\n${key}`
    const digest = digestOf(req, body)
    forgetOld(records, clock.now())
    for (let first = records.get(name); first !== undefined; first = records.get(name)) {
      if (first.digest !== digest)
        return refuse(failure('request_repeated', 'Idempotency-Key: already used for another request.'))
      const replayable = await first.answer
      if (replayable !== undefined) return toResponse(replayable)
    }
    const { promise: answer, resolve: settle } = Promise.withResolvers<ReplayableResponse | undefined>()
    const entry = { digest, at: clock.now(), answer }
    records.set(name, entry)
    let final: ReplayableResponse | undefined
    try {
      await next()
      final = await toReplayable(context.res)
    } finally {
      // Deleted before the waiting requests continue, so that the first of them takes the key.
      if (final === undefined && records.get(name) === entry) records.delete(name)
      settle(final)
    }
    return undefined
  }
}

/** Returns a hash of the request that does not depend on the hostname. */
function digestOf({ path, url }: { readonly path: string; readonly url: string }, body: ArrayBuffer): string {
  const target = `${path}\n${new URL(url).search}\n`
  return createHash('sha256').update(target).update(new Uint8Array(body)).digest('hex')
}

function forgetOld(records: Map<string, IdempotencyRecord>, now: number): void {
  for (const [name, { at }] of records) {
    if (records.size <= MOST_KEYS && at + DAY > now) return
    records.delete(name)
  }
}

async function readAll(request: Request): Promise<ArrayBuffer | Failure> {
  try {
    return await request.arrayBuffer()
  } catch (thrown) {
    const code = thrown instanceof BodyTooLargeError ? 'request_too_large' : 'request_invalid'
    return failure(code, `The body cannot be read: ${errorMessage(thrown)}`)
  }
}

function withBody(request: Request, body: ArrayBuffer): Request {
  const { method, headers, signal, url } = request
  return new Request(url, { method, headers, signal, body })
}

/** Copies a response for replay; `undefined` if it is not final or too large. */
async function toReplayable(response: Response): Promise<ReplayableResponse | undefined> {
  const { status, headers } = response
  if (!isFinal(response)) return undefined
  const body = await response.clone().arrayBuffer()
  return body.byteLength > LARGEST ? undefined : { status, headers: new Headers(headers), body }
}

/**
 * Returns false for streams, and for responses that another attempt may not get: server errors, conflicts,
 * limits, and responses with `Retry-After`.
 */
function isFinal({ status, headers }: Response): boolean {
  if (status >= 500 || TEMPORARY.has(status) || headers.has('retry-after')) return false
  return !(headers.get('content-type') ?? '').startsWith('text/event-stream')
}

function toResponse({ status, headers, body }: ReplayableResponse): Response {
  const replayHeaders = new Headers(headers)
  replayHeaders.set('idempotent-replayed', 'true')
  return new Response(body, { status, headers: replayHeaders })
}
