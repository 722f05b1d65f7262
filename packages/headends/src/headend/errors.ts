import { type Failure, type ErrorCode, type FailureClass, toFailure } from '@troupe/schema'
import { publicFailure } from '@troupe/schema/public'
import { isOperator, type Caller } from './headend.ts'

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

const BY_CODE: ReadonlyMap<ErrorCode, number> = new Map([
  ['agent_unknown', 404],
  ['run_unknown', 404],
  ['session_unknown', 404],
  ['session_busy', 409],
  ['session_mismatch', 409],
  ['approval_unknown', 404],
  ['route_unknown', 404],
  ['tool_unknown', 404],
  ['method_unknown', 405],
  ['card_changed', 409],
  ['tool_name_conflict', 409],
  ['request_repeated', 409],
  ['store_locked', 409],
  ['run_not_resumable', 409],
  ['run_changed', 409],
  ['request_too_large', 413],
  ['request_media_type', 415],
  ['token_required', 401],
  ['signature_invalid', 401],
  ['schedule_unknown', 404],
  ['run_exists', 409],
  ['server_busy', 503],
  ['identity_unavailable', 503],
])

const BY_CLASS: Readonly<Record<FailureClass, number>> = {
  config: 400,
  auth: 502,
  timeout: 504,
  network: 502,
  model: 502,
  budget: 429,
  depth: 429,
  limit: 429,
  permission: 403,
  tool: 502,
  store: 503,
  cancelled: 503,
  internal: 500,
}

/** Returns the HTTP status of a failure, see docs/interface.md §6. */
export function statusOf({ code, class: kind }: Pick<Failure, 'code' | 'class'>): number {
  return BY_CODE.get(code) ?? BY_CLASS[kind]
}

/**
 * Converts a thrown value to a failure for the caller: unchanged for an operator, without private details for
 * others.
 */
export function failureFor(caller: Pick<Caller, 'role'> | undefined, thrown: unknown): Failure {
  const reason = toFailure(thrown)
  return caller !== undefined && isOperator(caller) ? reason : publicFailure(reason)
}

/** Returns true for a failure. No other result has both a code and a remediation. */
export function isFailure(value: object): value is Failure {
  return 'code' in value && 'remediation' in value
}
