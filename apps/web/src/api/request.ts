import { isJsonObject, type FailureClass } from '@troupe/schema'
import { serverLink } from '../link/server-link.ts'

/** What the server says of a request that failed (`{error}`), or what the page says of a server that cannot be reached. */
export interface RequestFailure {
  readonly class: FailureClass
  readonly code: string
  readonly message: string
  readonly remediation?: string
}

/** An answer, or why there is none. Requests of the page never throw. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: RequestFailure }

/** How something is asked for. */
export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** How long an answer to a GET may take, in ms. A connection that is silently dead is noticed by it. */
const LONGEST_MS = 10_000
/** What a proxy answers with when the server behind it is gone. */
const GATEWAY_ERRORS: ReadonlySet<number> = new Set([502, 503, 504])

/** Asks the server that the page came from, and tells the {@link serverLink} whether it answered. The path is relative to the server: `api/agents`. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<Answer<T>> {
  const { method = 'GET', body, signal: stop } = options
  // stopping a run answers when the run has ended
  const limit = method === 'GET' ? AbortSignal.timeout(LONGEST_MS) : undefined
  const signal = stop === undefined || limit === undefined ? (stop ?? limit) : AbortSignal.any([stop, limit])
  try {
    const response = await fetch(`./${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
    const text = await response.text()
    const value = parseAnswer(text)
    if (!response.ok && value === undefined && GATEWAY_ERRORS.has(response.status)) serverLink.noteSilence()
    else serverLink.noteAnswer()
    if (response.ok) return { ok: true, value: value as T }
    return { ok: false, failure: toFailure(value, response) }
  } catch (thrown) {
    if (stop?.aborted !== true) serverLink.noteSilence()
    return { ok: false, failure: unreachable(thrown) }
  }
}

/** Returns the JSON of an answer; `undefined` if it has none, such as the error page of a proxy. */
function parseAnswer(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function toFailure(
  value: unknown,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
): RequestFailure {
  const error = isJsonObject(value) ? value['error'] : undefined
  if (isJsonObject(error) && typeof error['message'] === 'string')
    return withRetryTime(error as unknown as RequestFailure, headers.get('retry-after'))
  return { class: 'internal', code: `http_${status}`, message: `The server answered ${status}.` }
}

/** How the server names the header that a person cannot see. */
const RETRY_HEADER = 'after the time that `Retry-After` names'

/** Says when to try again in words in place of the header `Retry-After`, which is a number of seconds or a date. */
export function withRetryTime(failure: RequestFailure, retryAfter: string | null): RequestFailure {
  const { remediation } = failure
  if (remediation?.includes(RETRY_HEADER) !== true) return failure
  return { ...failure, remediation: remediation.replace(RETRY_HEADER, retryText(retryAfter)) }
}

function retryText(retryAfter: string | null): string {
  if (retryAfter === null || retryAfter === '') return 'later'
  const seconds = Number(retryAfter)
  if (Number.isFinite(seconds)) return seconds === 1 ? 'in 1 second' : `in ${seconds} seconds`
  const date = new Date(retryAfter)
  return Number.isNaN(date.getTime()) ? 'later' : `after ${date.toLocaleString()}`
}

function unreachable(thrown: unknown): RequestFailure {
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  return {
    class: 'network',
    code: 'server_unreachable',
    message: `The server does not answer: ${why}`,
    remediation: 'See whether `troupe serve` still runs.',
  }
}
