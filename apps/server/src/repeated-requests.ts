import { createHash } from 'node:crypto'
import { BodyTooLargeError, isFailure, type errorResponse } from '@troupe/headends'
import { errorMessage, failure, type Clock, type Failure } from '@troupe/schema'
import type { MiddlewareHandler } from 'hono'
import type { ServerBindings } from './gate.ts'

/** What came of the first request of a key. */
interface Kept {
  /** Of its method, path and body. */
  readonly digest: string
  readonly at: number
  /** Undefined: nothing that could be said again. */
  readonly answer: Promise<Answer | undefined>
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: ArrayBuffer
}

const DAY = 86_400_000
const MOST_KEYS = 1000
const LONGEST_KEY = 255
/** Larger answers are not kept. */
const LARGEST = 1024 * 1024

/**
 * `Idempotency-Key`: a POST that is sent again, because its answer got lost, gets the answer of the first one; while that one is at work it waits for it.
 * Kept are answers that are final (no streams, nothing from 500 on) for a day, in this process.
 */
export function answerRepeats({
  clock,
  toError,
}: {
  readonly clock: Clock
  toError(path: string): typeof errorResponse
}): MiddlewareHandler<ServerBindings> {
  // in the order of their first requests
  const kept = new Map<string, Kept>()
  return async (context, next) => {
    const { req } = context
    const key = req.header('idempotency-key')
    if (key === undefined || req.method !== 'POST') return next()
    const refuse = toError(req.path)
    if (key.length > LONGEST_KEY)
      return refuse(failure('request_invalid', `Idempotency-Key: longer than ${LONGEST_KEY} characters.`))
    const body = await readAll(req.raw)
    if (isFailure(body)) return refuse(body)
    req.raw = withBody(req.raw, body)
    const name = `${context.get('caller').principal}\n${key}`
    const digest = createHash('sha256').update(`${req.path}\n`).update(new Uint8Array(body)).digest('hex')
    forgetOld(kept, clock.now())
    const first = kept.get(name)
    if (first !== undefined && first.digest !== digest)
      return refuse(failure('request_repeated', 'Idempotency-Key: another request has had this key.'))
    const again = await first?.answer
    if (again !== undefined) return toResponse(again)
    let tell: ((answer: Answer | undefined) => void) | undefined
    const answer = new Promise<Answer | undefined>((resolve) => {
      tell = resolve
    })
    kept.set(name, { digest, at: clock.now(), answer })
    try {
      await next()
      const final = context.env.stream === undefined ? await toAnswer(context.res) : undefined
      if (final === undefined) kept.delete(name)
      tell?.(final)
    } catch (thrown) {
      kept.delete(name)
      tell?.(undefined)
      throw thrown
    }
    return undefined
  }
}

function forgetOld(kept: Map<string, Kept>, now: number): void {
  for (const [name, { at }] of kept) {
    if (kept.size <= MOST_KEYS && at + DAY > now) return
    kept.delete(name)
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

/** What of an answer can be said again; undefined: nothing. */
async function toAnswer(response: Response): Promise<Answer | undefined> {
  const { status, headers } = response
  if (status >= 500) return undefined
  const body = await response.clone().arrayBuffer()
  return body.byteLength > LARGEST ? undefined : { status, headers: new Headers(headers), body }
}

function toResponse({ status, headers, body }: Answer): Response {
  const again = new Headers(headers)
  again.set('idempotent-replayed', 'true')
  return new Response(body, { status, headers: again })
}
