import { isJsonObject, type FailureClass } from '@troupe/schema'
import { serverLink } from './server-link.ts'

/**
 * The error of a failed request: from the server (`{error}`), or from the page if the server cannot be
 * reached.
 */
export interface RequestFailure {
  readonly class: FailureClass
  readonly code: string
  readonly message: string
  readonly remediation?: string
}

/** The result of a request. Requests of the page never throw. */
export type RequestResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: RequestFailure }

/** Options of a request. */
export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** Timeout of a GET request, in ms. It detects connections that fail silently. */
const TIMEOUT_MS = 10_000
/** Status codes of a proxy whose server is down. */
const GATEWAY_ERRORS: ReadonlySet<number> = new Set([502, 503, 504])

/**
 * Sends a request to the server of the page, and reports to the {@link serverLink} whether it was answered.
 * The path is relative to the server, such as `api/agents`.
 */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<RequestResult<T>> {
  const { method = 'GET', body, signal: callerSignal } = options
  // Only for GET: stopping a run responds once the run has ended.
  const limit = method === 'GET' ? AbortSignal.timeout(TIMEOUT_MS) : undefined
  const signal =
    callerSignal === undefined || limit === undefined
      ? (callerSignal ?? limit)
      : AbortSignal.any([callerSignal, limit])
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
    const value = parseJson(text)
    if (!response.ok && value === undefined && GATEWAY_ERRORS.has(response.status))
      serverLink.reportUnreachable()
    else serverLink.reportReachable()
    if (response.ok) return { ok: true, value: value as T }
    return { ok: false, failure: toFailure(value, response) }
  } catch (thrown) {
    if (callerSignal?.aborted !== true) serverLink.reportUnreachable()
    return { ok: false, failure: unreachable(thrown) }
  }
}

/**
 * Parses the JSON of a response. Returns `undefined` if it is not JSON, such as the error page of a proxy.
 */
function parseJson(text: string): unknown {
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
  return { class: 'internal', code: `http_${status}`, message: `The server responded with status ${status}.` }
}

/** The server's phrase for a header that people cannot see. */
const RETRY_HEADER = 'after the time in `Retry-After`'

/** Replaces the name of the header `Retry-After` with its value, which is a number of seconds or a date. */
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
    message: `The server does not respond: ${why}`,
    remediation: 'Check that `troupe serve` is running.',
  }
}
