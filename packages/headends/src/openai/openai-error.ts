import type { Failure } from '@troupe/schema'
import { retryHeader, statusOf } from '../headend/errors.ts'

/** A failure in OpenAI's format. */
interface OpenAIErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string
  }
}

/** Converts a failure to OpenAI's format. */
export function openAIErrorBody(reason: Failure): OpenAIErrorBody {
  const { code, message, remediation } = reason
  const isUnknown = code === 'agent_unknown'
  return {
    error: {
      message: `${message} ${remediation}`,
      type: typeOf(statusOf(reason)),
      param: isUnknown ? 'model' : null,
      code: isUnknown ? 'model_not_found' : code,
    },
  }
}

/**
 * Creates an error response. `x-should-retry: false` keeps official clients from repeating a failed run on
 * their own.
 */
export function openAIError(reason: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  const retry = retryHeader(reason)
  const noRetry = 'retry-after' in retry ? {} : { 'x-should-retry': 'false' }
  return Response.json(openAIErrorBody(reason), {
    status: statusOf(reason),
    headers: { ...retry, ...noRetry, ...headers },
  })
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}
