import { ApiError, createClient, type Failure, type TroupeClient } from '@troupe/client'
import { serverLink } from './server-link.ts'

/** Timeout of a GET request, in ms. It detects connections that fail silently. */
const TIMEOUT_MS = 10_000
/** Status codes of a proxy whose server is down. */
const GATEWAY_ERRORS: ReadonlySet<number> = new Set([502, 503, 504])

/** Sends a request, and reports to the {@link serverLink} whether it was answered. */
const trackedFetch: typeof fetch = async (input, init = {}) => {
  const { method, headers, signal: callerSignal } = init
  const isStream = new Headers(headers).get('accept') === 'text/event-stream'
  // Only for GET: stopping a run responds once the run has ended.
  const limit = method === 'GET' && !isStream ? [AbortSignal.timeout(TIMEOUT_MS)] : []
  const signal = AbortSignal.any([...limit, ...(callerSignal ? [callerSignal] : [])])
  try {
    const response = await fetch(input, { ...init, signal })
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    if (GATEWAY_ERRORS.has(response.status) && !isJson) serverLink.reportUnreachable()
    else serverLink.reportReachable()
    return response
  } catch (thrown) {
    if (callerSignal?.aborted !== true) serverLink.reportUnreachable()
    throw thrown
  }
}

/** The client of the server of the page. It signs in with a cookie, and reconnects streams for as long as the page is open. */
export const client: TroupeClient = createClient({ url: '.', fetch: trackedFetch, maxReconnects: Infinity })

/** The error of a failed request, as the page shows it. */
export interface RequestFailure extends Pick<Failure, 'class' | 'message'> {
  readonly code: string
  readonly remediation?: string
}

/** Converts the error of a request to a failure that can be shown. */
export function toRequestFailure(thrown: unknown): RequestFailure {
  if (!(thrown instanceof ApiError)) return { class: 'internal', code: 'internal', message: String(thrown) }
  const { class: kind, code, message, remediation, retryAfterMs } = thrown
  return withRetryTime({ class: kind, code, message, remediation }, retryAfterMs)
}

/** The server's phrase for a header that people cannot see. */
const RETRY_HEADER = 'after the time in `Retry-After`'
/** Longest wait that is shown in seconds, in ms. */
const LONG_WAIT_MS = 10 * 60_000

/** Replaces the name of the header `Retry-After` with its value. */
export function withRetryTime(failure: RequestFailure, retryAfterMs: number | undefined): RequestFailure {
  const { remediation } = failure
  if (remediation?.includes(RETRY_HEADER) !== true) return failure
  return { ...failure, remediation: remediation.replace(RETRY_HEADER, retryText(retryAfterMs)) }
}

function retryText(ms: number | undefined): string {
  if (ms === undefined) return 'later'
  if (ms > LONG_WAIT_MS) return `after ${new Date(Date.now() + ms).toLocaleString()}`
  const seconds = Math.ceil(ms / 1000)
  return seconds === 1 ? 'in 1 second' : `in ${seconds} seconds`
}
