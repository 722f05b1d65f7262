import type { Failure } from '@troupe/schema'
import { retryHeader, statusOf } from '../headend/errors.ts'

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

/** Converts a failure to Anthropic's format. */
export function anthropicErrorBody(reason: Failure): AnthropicErrorBody {
  const status = anthropicStatus(reason)
  const type = TYPES.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return { type: 'error', error: { type, message: `${reason.message} ${reason.remediation}` } }
}

/**
 * Creates an error response. `x-should-retry: false` keeps official clients from repeating a failed run on
 * their own.
 */
export function anthropicError(reason: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  const retry = retryHeader(reason)
  const noRetry = 'retry-after' in retry ? {} : { 'x-should-retry': 'false' }
  return Response.json(anthropicErrorBody(reason), {
    status: anthropicStatus(reason),
    headers: { ...retry, ...noRetry, ...headers },
  })
}

function anthropicStatus(reason: Failure): number {
  return reason.code === 'server_busy' ? OVERLOADED : statusOf(reason)
}
