import { APICallError, type LanguageModelV4Usage } from '@ai-sdk/provider'
import { errorMessage, failure, TroupeError, type Failure } from '@troupe/schema'

/** Why a model call failed, and whether another attempt may help. */
export interface ModelFault {
  readonly failure: Failure
  readonly retryable: boolean
  /** What the provider asked for, in ms. */
  readonly retryAfterMs?: number
}

/** A model call that gave no answer. What was used until then counts. */
export interface FailedAnswer extends ModelFault {
  readonly usage?: LanguageModelV4Usage
  /** True: nothing was generated, as the call never went out or was answered with an error status. */
  readonly isFree?: boolean
}

/** What went wrong, from anything a provider threw or sent. */
export function classifyModelError(thrown: unknown, model: string): ModelFault {
  if (TroupeError.isInstance(thrown)) return { failure: thrown.failure, retryable: false }
  if (isFailure(thrown)) return { failure: thrown, retryable: false }
  const name = model === '' ? 'The model' : `The model ${model}`
  if (APICallError.isInstance(thrown)) return classifyStatus(thrown, name)
  const message = errorMessage(thrown)
  if (/overloaded/iu.test(message))
    return { failure: failure('model_overloaded', `${name} is overloaded: ${message}`), retryable: true }
  if (isNetworkError(thrown))
    return {
      failure: failure('model_unreachable', `${name} could not be reached: ${message}`),
      retryable: true,
    }
  return { failure: failure('model_bad_stream', `${name} failed: ${describe(thrown)}`), retryable: true }
}

function classifyStatus(error: APICallError, name: string): ModelFault {
  const { statusCode } = error
  const said = `${name} answered ${statusCode ?? 'nothing'}: ${error.message}`
  const wait = retryAfter(error.responseHeaders)
  const waiting = wait === undefined ? {} : { retryAfterMs: wait }
  if (statusCode === undefined)
    return {
      failure: failure('model_unreachable', `${name} could not be reached: ${error.message}`),
      retryable: true,
    }
  if (statusCode === 401 || statusCode === 403 || isBadKey(error))
    return { failure: failure('model_auth', said), retryable: false }
  if (statusCode === 404) return { failure: failure('model_not_found', said), retryable: false }
  if (statusCode === 429)
    return { failure: failure('model_rate_limited', said), retryable: !isQuota(error), ...waiting }
  if (statusCode >= 500 || statusCode === 408 || statusCode === 409) {
    return { failure: failure('model_overloaded', said), retryable: true, ...waiting }
  }
  if (isOverflow(error)) return { failure: failure('context_overflow', said), retryable: false }
  return { failure: failure('model_bad_request', said), retryable: false }
}

/** `Retry-After` in ms, as seconds or `retry-after-ms`; dates are left to the provider's own clock and not honoured. */
function retryAfter(headers: Readonly<Record<string, string>> | undefined): number | undefined {
  const ms = Number(headers?.['retry-after-ms'])
  if (Number.isFinite(ms) && headers?.['retry-after-ms'] !== undefined) return Math.max(0, ms)
  const seconds = Number(headers?.['retry-after'])
  if (Number.isFinite(seconds) && headers?.['retry-after'] !== undefined) return Math.max(0, seconds * 1000)
  return undefined
}

/** Google answers a wrong key with 400. */
function isBadKey(error: APICallError): boolean {
  return error.statusCode === 400 && /API_KEY_INVALID/u.test(error.responseBody ?? '')
}

function isQuota(error: APICallError): boolean {
  return /insufficient_quota|billing|credit balance/iu.test(`${error.responseBody ?? ''} ${error.message}`)
}

function isOverflow(error: APICallError): boolean {
  return /context_length|context window|maximum context|prompt is too long|too many tokens/iu.test(
    `${error.responseBody ?? ''} ${error.message}`,
  )
}

function isNetworkError(thrown: unknown): boolean {
  const cause: unknown = thrown instanceof Error ? thrown.cause : undefined
  const code: unknown =
    typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  const text = `${errorMessage(thrown)} ${typeof code === 'string' ? code : ''}`
  return /fetch failed|ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|socket|terminated/iu.test(text)
}

function isFailure(value: unknown): value is Failure {
  return (
    typeof value === 'object' &&
    value !== null &&
    'class' in value &&
    'code' in value &&
    'remediation' in value
  )
}

/** Error parts of a stream are often plain objects. */
function describe(thrown: unknown): string {
  if (thrown instanceof Error || typeof thrown !== 'object' || thrown === null) return errorMessage(thrown)
  const { message } = thrown as { readonly message?: unknown }
  return typeof message === 'string' ? message : JSON.stringify(thrown)
}
