import { APICallError, type LanguageModelV4Usage } from '@ai-sdk/provider'
import { failure, TroupeError, type ErrorCode, type Failure, type Usage } from '@troupe/schema'
import type { ModelHandle } from '@troupe/schema/ports'
import {
  errorCauses,
  isConnectTimeout,
  networkError,
  describeError,
  parseReportedError,
  isUnconnected,
  retryAfterMs,
  type ReportedError,
} from './reported-error.ts'
import type { Run } from '../run/run.ts'
import type { Cancellation } from '../run/cancellation.ts'

/** The failure of a model call. `retryable` is true if another attempt may succeed. */
export interface ModelFault {
  readonly failure: Failure
  readonly retryable: boolean
  /** Wait in ms that the provider asked for. */
  readonly retryAfterMs?: number | undefined
  /** True if the provider limits its load: status 429, 529 or 503, or a corresponding error. */
  readonly isThrottled?: boolean
  /** Body of the provider's response with keys redacted. Only for debugging. */
  readonly rawBody?: string
}

/** A model call without an answer. Its usage until then counts. */
export interface FailedAnswer extends ModelFault {
  readonly usage?: LanguageModelV4Usage | undefined
  /** True if nothing was generated: the call was not sent, or was answered with an error status. */
  readonly isFree?: boolean
  /** True if no request was made. The call is then not recorded. */
  readonly isUnsent?: true
  /** Text received before the failure. It is reported, but never used as an answer. */
  readonly partialText?: string
  /** Number of characters received, including reasoning and arguments. */
  readonly received?: number
  /** Recorded usage, if the answer comes from a recording. */
  readonly replayed?: Usage
}

/** The model and time of a fault. */
interface FaultSource {
  readonly handle: Pick<ModelHandle, 'id' | 'credential' | 'hide'>
  /** Wall time in ms. */
  readonly now: number
}

/** Converts anything that a provider threw or sent to a failure. Redacts keys in the message. */
export function classifyModelError(thrown: unknown, source: FaultSource): ModelFault {
  const own = ownFailure(thrown)
  if (own !== undefined) return { failure: own, retryable: RETRYABLE.has(own.code) }
  const reportedError = parseReportedError(thrown)
  const network = networkError(thrown)
  // without an error status, the connection is the cause
  if (isConnectTimeout(thrown))
    return fault(source, 'model_timeout', `could not be reached in time: ${network ?? ''}`)
  if (network !== undefined && (reportedError?.status ?? 0) < 400)
    return fault(source, 'model_unreachable', `could not be reached: ${network}`)
  if (reportedError !== undefined) return classifyReportedError(reportedError, source)
  return fault(source, 'model_bad_stream', `returned an unreadable response: ${describeError(thrown)}`)
}

/** Error codes that another attempt may fix. */
const RETRYABLE: ReadonlySet<string> = new Set<ErrorCode>([
  'model_rate_limited',
  'model_overloaded',
  'model_unreachable',
  'model_bad_stream',
  'model_empty_answer',
  'model_timeout',
])

function classifyReportedError(reportedError: ReportedError, source: FaultSource): ModelFault {
  const { status, message, headers, body } = reportedError
  const code = codeOf(reportedError)
  const found = fault(source, code, `${statusPhrase(status)}: ${message}`, credentialFix(code, source))
  const wait = found.retryable ? retryAfterMs({ headers, body, now: source.now }) : undefined
  const retryAt = wait === undefined ? {} : { retryAt: Math.round(source.now + wait) }
  return {
    ...found,
    failure: { ...found.failure, ...retryAt },
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(isThrottled(code, reportedError) ? { isThrottled: true } : {}),
    ...(body === undefined || body === '' ? {} : { rawBody: redactText(source, body) }),
  }
}

/** Returns the error code, by the provider's own codes if there are any, otherwise by the status. */
function codeOf(reportedError: ReportedError): ErrorCode {
  const { status = 0 } = reportedError
  if (isQuota(reportedError)) return 'model_quota_exceeded'
  if (isRefusedKey(reportedError)) return 'model_auth'
  if (isFiltered(reportedError)) return 'model_refused'
  if (status === 429 || /rate_limit|RESOURCE_EXHAUSTED/u.test(reportedError.words))
    return 'model_rate_limited'
  if (isOverflow(reportedError)) return 'context_overflow'
  if (status === 404 || /not_found/u.test(reportedError.words)) return 'model_not_found'
  if (isOverload(reportedError)) return 'model_overloaded'
  return status >= 400 || /invalid_request/u.test(reportedError.words)
    ? 'model_bad_request'
    : 'model_bad_stream'
}

/** Detects exhausted credit or quota. By code, as Google mentions billing for limits per minute too. */
function isQuota({ status, words, message }: ReportedError): boolean {
  return (
    status === 402 ||
    /insufficient_quota|billing|credit/u.test(words) ||
    /credit balance is too low/iu.test(message)
  )
}

/** Detects a rejected key. Google reports it with status 400. */
function isRefusedKey({ status, words, body }: ReportedError): boolean {
  return (
    status === 401 ||
    status === 403 ||
    /authentication_error|permission_error|invalid_api_key|UNAUTHENTICATED|PERMISSION_DENIED/u.test(words) ||
    (status === 400 && /API_KEY_INVALID/u.test(body ?? ''))
  )
}

/** Detects a prompt that the content filter of the provider rejected. */
function isFiltered({ words }: ReportedError): boolean {
  return /content_filter|content_policy_violation/u.test(words)
}

const OVERFLOW =
  /context.length|context.window|context.size|maximum context|prompt is too long|input is too long|exceed context limit|input token count|reduce the length of the (?:messages|prompt)/iu

function isOverflow({ status, words, message }: ReportedError): boolean {
  if (/context_length_exceeded|exceed_context_size|request_too_large/u.test(words) || status === 413)
    return true
  return (status ?? 400) < 500 && OVERFLOW.test(message)
}

function isOverload({ status = 0, words, message }: ReportedError): boolean {
  return (
    status >= 500 ||
    status === 408 ||
    status === 409 ||
    /overloaded|server_error|api_error|UNAVAILABLE|INTERNAL/u.test(words) ||
    /overloaded/iu.test(message)
  )
}

/** Returns true if the failure is caused by load. Other failures of a provider say nothing about it. */
function isThrottled(code: ErrorCode, { status, words, message }: ReportedError): boolean {
  if (code === 'model_rate_limited') return true
  return (
    code === 'model_overloaded' &&
    (status === 529 ||
      status === 503 ||
      /overloaded/iu.test(message) ||
      /overloaded|UNAVAILABLE/u.test(words))
  )
}

function fault(source: FaultSource, code: ErrorCode, what: string, fix?: string): ModelFault {
  const message = excerpt(redactText(source, `${nameOf(source)} ${what}`))
  return { failure: failure(code, message, fix), retryable: RETRYABLE.has(code) }
}

function redactText({ handle }: FaultSource, text: string): string {
  return hideKeys(handle.hide?.(text) ?? text)
}

function nameOf({ handle }: FaultSource): string {
  return handle.id === '' ? 'The model' : `The model ${handle.id}`
}

function statusPhrase(status: number | undefined): string {
  return status === undefined ? 'reported' : `answered ${status}`
}

/** Names the rejected key in the remediation only, because failure messages may be sent to models. */
function credentialFix(code: ErrorCode, { handle: { credential } }: FaultSource): string | undefined {
  return code === 'model_auth' && credential !== undefined ? `Check the API key: ${credential}.` : undefined
}

const MAX_MESSAGE = 1000

function excerpt(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE)}…`
}

/** Returns our own failure, even if an adapter has wrapped it. */
function ownFailure(thrown: unknown): Failure | undefined {
  if (isFailure(thrown)) return thrown
  for (const cause of errorCauses(thrown)) if (TroupeError.isInstance(cause)) return cause.failure
  return undefined
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

/**
 * Patterns of provider keys, for keys that are not known as secrets. Providers repeat a rejected key, and
 * proxies repeat whole headers.
 */
const KEY_PATTERNS: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}/gu,
  /\bAIza[A-Za-z0-9_-]{20,}/gu,
  /\b(?:gsk|xai|hf)[-_][A-Za-z0-9_-]{16,}/gu,
  /(?<=\bBearer\s+)[A-Za-z0-9._~+/=-]{8,}/gu,
]

/** Redacts everything that looks like a key. */
function hideKeys(text: string): string {
  let result = text
  for (const pattern of KEY_PATTERNS) result = result.replaceAll(pattern, '[redacted:key]')
  return result
}

/** Classifies an error that a provider threw or sent in its stream. */
export function thrownFault(run: Run, handle: ModelHandle, thrown: unknown): ModelFault {
  return classifyModelError(thrown, { handle, now: run.root.clock.now() })
}

/** Returns the fault of a cancelled call. Only a timeout of the call itself is retryable. */
export function stoppedFault(run: Run, stop: Cancellation): ModelFault {
  const reason = run.cancellation.reason ?? stop.reason ?? cancelledFailure()
  return { failure: reason, retryable: reason.code === 'model_timeout' }
}

/** Creates the failed answer of a call that was not sent, because the run was cancelled. */
export function unsentAnswer(run: Run): FailedAnswer {
  return {
    failure: run.cancellation.reason ?? cancelledFailure(),
    retryable: false,
    isFree: true,
    isUnsent: true,
  }
}

/** Returns true if nothing was generated, because of an error status or a missing connection. */
export function isRefusal(thrown: unknown): boolean {
  return (APICallError.isInstance(thrown) && (thrown.statusCode ?? 0) >= 400) || isUnconnected(thrown)
}

function cancelledFailure(): Failure {
  return failure('run_cancelled', 'The run was stopped.')
}
