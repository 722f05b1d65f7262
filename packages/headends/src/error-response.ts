import type { Failure } from '@troupe/schema'
import { statusOf } from './status-of.ts'

/** The error body of Troupe's own routes. Other protocols have formats of their own. */
export interface ErrorBody {
  readonly error: Pick<Failure, 'class' | 'code' | 'message' | 'remediation'>
}

/** Converts a failure to the error body of Troupe's own routes. */
export function errorBody({ class: kind, code, message, remediation }: Failure): ErrorBody {
  return { error: { class: kind, code, message, remediation } }
}

/** Creates the error response for a failure. */
export function errorResponse(reason: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(errorBody(reason), {
    status: statusOf(reason),
    headers: { ...retryHeader(reason), ...headers },
  })
}

/**
 * Returns a `Retry-After` header if another attempt may succeed, otherwise no headers. With `now` the wait is
 * in seconds.
 */
export function retryHeader({ code, retryAt }: Failure, now?: number): Readonly<Record<string, string>> {
  if (retryAt !== undefined && now !== undefined)
    return { 'retry-after': String(Math.max(1, Math.ceil((retryAt - now) / 1000))) }
  // Without the current time, a date is sent. The wait may be hours.
  if (retryAt !== undefined && (code === 'spending_limited' || code === 'budget_exceeded'))
    return { 'retry-after': new Date(retryAt).toUTCString() }
  return code === 'server_busy' || code === 'rate_limited' ? { 'retry-after': '1' } : {}
}
