import type { Failure } from '@troupe/schema'
import { statusOf } from './status-of.ts'

/** A failure as our own routes tell it; other protocols have shapes of their own. */
export interface ErrorBody {
  readonly error: Pick<Failure, 'class' | 'code' | 'message' | 'remediation'>
}

/** See {@link ErrorBody}. */
export function errorBody({ class: kind, code, message, remediation }: Failure): ErrorBody {
  return { error: { class: kind, code, message, remediation } }
}

/** The answer to a request that failed. */
export function errorResponse(reason: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(errorBody(reason), {
    status: statusOf(reason),
    headers: { ...retryHeader(reason), ...headers },
  })
}

/** `Retry-After` in seconds, where another attempt is of use. */
export function retryHeader({ code, retryAt }: Failure, now?: number): Readonly<Record<string, string>> {
  if (retryAt !== undefined && now !== undefined)
    return { 'retry-after': String(Math.max(1, Math.ceil((retryAt - now) / 1000))) }
  // hours, perhaps: a date says it without a clock
  if (retryAt !== undefined && (code === 'spending_limited' || code === 'budget_exceeded'))
    return { 'retry-after': new Date(retryAt).toUTCString() }
  return code === 'server_busy' || code === 'rate_limited' ? { 'retry-after': '1' } : {}
}
