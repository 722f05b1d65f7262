import type { ErrorCode, Failure } from '@troupe/schema'
import { noRetryHeader, retryHeader, retryHint, statusOf } from '../headend/errors.ts'

/** A failure in OpenAI's format. */
interface OpenAIErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string
  }
}

/** OpenAI's own words for a failure. */
interface OpenAIError {
  readonly code: string
  readonly status?: number
  readonly type?: string
  readonly param?: string
}

const OVERLOADED: OpenAIError = { code: 'server_is_overloaded', status: 503 }

/** Failures for which OpenAI has a code. All others have the code of Troupe. */
const OPENAI_ERRORS: ReadonlyMap<ErrorCode, OpenAIError> = new Map<ErrorCode, OpenAIError>([
  ['agent_unknown', { code: 'model_not_found', param: 'model' }],
  ['embedding_model_unknown', { code: 'model_not_found', param: 'model' }],
  ['model_rate_limited', { code: 'rate_limit_exceeded', status: 429 }],
  ['model_quota_exceeded', { code: 'insufficient_quota', status: 429, type: 'insufficient_quota' }],
  ['model_overloaded', OVERLOADED],
  ['model_unavailable', OVERLOADED],
  ['context_overflow', { code: 'context_length_exceeded', status: 400 }],
])

/** Converts a failure to OpenAI's format. With `now` the message says when to try again. */
export function openAIErrorBody(reason: Failure, now?: number): OpenAIErrorBody {
  const { type = typeOf(openAIStatus(reason)), param = null } = OPENAI_ERRORS.get(reason.code) ?? {}
  return {
    error: { message: openAIMessage(reason, now), type, param, code: openAICode(reason) },
  }
}

/** Returns the code of a failure: that of OpenAI if it has one. */
export function openAICode({ code }: Pick<Failure, 'code'>): string {
  return OPENAI_ERRORS.get(code)?.code ?? code
}

/** Returns the message of a failure. With `now` it says when to try again. */
export function openAIMessage(reason: Failure, now?: number): string {
  return `${reason.message} ${reason.remediation}${now === undefined ? '' : retryHint(reason, now)}`
}

/**
 * Creates an error response. `x-should-retry: false` keeps official clients from repeating a failed run on
 * their own.
 */
export function openAIError(reason: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  return errorAnswer(reason, headers)
}

/** Creates the error response of a failed run, with the time until another attempt. */
export function openAIRunError(
  reason: Failure,
  { headers, now }: { readonly headers: Readonly<Record<string, string>>; readonly now: number },
): Response {
  return errorAnswer(reason, headers, now)
}

function errorAnswer(reason: Failure, headers: Readonly<Record<string, string>>, now?: number): Response {
  return Response.json(openAIErrorBody(reason, now), {
    status: openAIStatus(reason),
    headers: { ...retryHeader(reason, now), ...noRetryHeader(reason), ...headers },
  })
}

function openAIStatus(reason: Failure): number {
  return OPENAI_ERRORS.get(reason.code)?.status ?? statusOf(reason)
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}
