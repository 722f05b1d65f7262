import type { ErrorCode, Failure } from '@troupe/schema'
import { noRetryHeader, retryHeader, retryHint, statusOf } from '../headend/errors.ts'

/** A failure in Anthropic's format. */
interface AnthropicErrorBody {
  readonly type: 'error'
  readonly error: { readonly type: string; readonly message: string }
}

/** Anthropic's status for an overloaded service. */
const OVERLOADED = 529

const TYPES: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [OVERLOADED, 'overloaded_error'],
])

/** Beginning of Anthropic's message for a conversation that is too long, by which clients detect it. */
const TOO_LONG = 'prompt is too long: '

/** Converts a failure to Anthropic's format. With `now` the message says when to try again. */
export function anthropicErrorBody(reason: Failure, now?: number): AnthropicErrorBody {
  const status = anthropicStatus(reason)
  const type = TYPES.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  const start = reason.code === 'context_overflow' ? TOO_LONG : ''
  const hint = now === undefined ? '' : retryHint(reason, now)
  return { type: 'error', error: { type, message: `${start}${reason.message} ${reason.remediation}${hint}` } }
}

/**
 * Creates an error response. `x-should-retry: false` keeps official clients from repeating a failed run on
 * their own.
 */
export function anthropicError(reason: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  return errorAnswer(reason, headers)
}

/** Creates the error response of a failed run, with the time until another attempt. */
export function anthropicRunError(
  reason: Failure,
  { headers, now }: { readonly headers: Readonly<Record<string, string>>; readonly now: number },
): Response {
  return errorAnswer(reason, headers, now)
}

function errorAnswer(reason: Failure, headers: Readonly<Record<string, string>>, now?: number): Response {
  return Response.json(anthropicErrorBody(reason, now), {
    status: anthropicStatus(reason),
    headers: { ...retryHeader(reason, now), ...noRetryHeader(reason), ...headers },
  })
}

/** Statuses of failures for which Anthropic has its own. */
const STATUSES: ReadonlyMap<ErrorCode, number> = new Map<ErrorCode, number>([
  ['server_busy', OVERLOADED],
  ['model_overloaded', OVERLOADED],
  ['model_unavailable', OVERLOADED],
  ['model_rate_limited', 429],
  ['context_overflow', 400],
])

function anthropicStatus(reason: Failure): number {
  return STATUSES.get(reason.code) ?? statusOf(reason)
}
