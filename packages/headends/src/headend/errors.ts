import { type Failure, type ErrorCode, type FailureClass, toFailure } from '@troupe/schema'
import { publicFailure } from '@troupe/schema/public'
import { isOperator, type Caller } from './headend.ts'

/** The error body of Troupe's own routes. Other protocols have formats of their own. */
export interface ErrorBody {
  readonly error: Failure
}

/** Converts a failure to the error body of Troupe's own routes. */
export function errorBody(reason: Failure): ErrorBody {
  return { error: failureData(reason) }
}

/** Returns the fields of a failure that callers see, in all protocols that carry data. */
export function failureData({ class: kind, code, message, remediation, retryAt }: Failure): Failure {
  return { class: kind, code, message, remediation, ...(retryAt === undefined ? {} : { retryAt }) }
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
 * in seconds, except for budgets, whose wait may be hours.
 */
export function retryHeader({ code, retryAt }: Failure, now?: number): Readonly<Record<string, string>> {
  const isBudget = code === 'spending_limited' || code === 'budget_exceeded'
  if (retryAt !== undefined && now !== undefined && !isBudget)
    return { 'retry-after': String(secondsUntil(retryAt, now)) }
  // without the current time, a date is sent
  if (retryAt !== undefined && (isBudget || isModelFailure(code)))
    return { 'retry-after': new Date(retryAt).toUTCString() }
  return code === 'server_busy' || code === 'rate_limited' ? { 'retry-after': '1' } : {}
}

/**
 * Returns `x-should-retry: false` if official clients must not repeat the request on their own: it is wrong,
 * or it was a run that failed, which could repeat the effects of its tools.
 */
export function noRetryHeader(reason: Failure): Readonly<Record<string, string>> {
  const isRepeatable = 'retry-after' in retryHeader(reason) && !isModelFailure(reason.code)
  return isRepeatable ? {} : { 'x-should-retry': 'false' }
}

/** Returns a sentence with the wait that a provider asked for, for streams, which have no headers for it. */
export function retryHint({ code, retryAt }: Failure, now: number): string {
  if (retryAt === undefined || !isModelFailure(code)) return ''
  return ` Try again in ${secondsUntil(retryAt, now)}s.`
}

function isModelFailure(code: ErrorCode): boolean {
  return code.startsWith('model_')
}

function secondsUntil(at: number, now: number): number {
  return Math.max(1, Math.ceil((at - now) / 1000))
}

const BY_CODE: ReadonlyMap<ErrorCode, number> = new Map([
  ['agent_unknown', 404],
  ['embedding_model_unknown', 404],
  ['run_unknown', 404],
  ['session_unknown', 404],
  ['report_unknown', 404],
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
  ['approval_elsewhere', 409],
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
