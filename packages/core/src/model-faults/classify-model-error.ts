import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import {
  failure,
  TroupeError,
  type ErrorCode,
  type Failure,
  type ModelHandle,
  type Usage,
} from '@troupe/schema'
import { hideKeys } from './hide-keys.ts'
import { errorCauses, isConnectTimeout, networkError } from './network-error.ts'
import { describeError, providerComplaint, type ProviderComplaint } from './provider-complaint.ts'
import { retryAfterMs } from './retry-after.ts'

/** Why a model call failed, and whether another attempt may help. */
export interface ModelFault {
  readonly failure: Failure
  readonly retryable: boolean
  /** What the provider asked for, in ms. */
  readonly retryAfterMs?: number | undefined
  /** The provider has too much load: 429, 529 or 503, or an error that says so. */
  readonly isThrottled?: boolean
  /** What the provider sent, as it came: for watchers who look for the cause, nowhere else. */
  readonly rawBody?: string
}

/** A model call that gave no answer. What was used until then counts. */
export interface FailedAnswer extends ModelFault {
  readonly usage?: LanguageModelV4Usage | undefined
  /** True: nothing was generated, as the call never went out or was answered with an error status. */
  readonly isFree?: boolean
  /** True: no request was made, so it is no row of the ledger. */
  readonly isUnsent?: true
  /** What had come of the text. It is told, and never an answer. */
  readonly partialText?: string
  /** Characters that had come, reasoning and arguments included. */
  readonly received?: number
  /** What it used, of an answer out of a recording. */
  readonly replayed?: Usage
}

/** Whose error it is, and when. */
export interface FaultSource {
  readonly handle: Pick<ModelHandle, 'id' | 'credential' | 'hide'>
  /** Wall time in ms. */
  readonly now: number
}

/** What went wrong, from anything a provider threw or sent (reliability: one class for each fault). Keys are hidden in what it says. */
export function classifyModelError(thrown: unknown, source: FaultSource): ModelFault {
  const own = ownFailure(thrown)
  if (own !== undefined) return { failure: own, retryable: RETRYABLE.has(own.code) }
  const complaint = providerComplaint(thrown)
  const network = networkError(thrown)
  // without a status nobody has complained: the line is broken
  if (isConnectTimeout(thrown))
    return fault(source, 'model_timeout', `could not be reached in time: ${network ?? ''}`)
  if (network !== undefined && (complaint?.status ?? 0) < 400)
    return fault(source, 'model_unreachable', `could not be reached: ${network}`)
  if (complaint !== undefined) return classifyComplaint(complaint, source)
  return fault(source, 'model_bad_stream', `gave no answer that can be read: ${describeError(thrown)}`)
}

/** Failures that another attempt may get around. */
const RETRYABLE: ReadonlySet<string> = new Set<ErrorCode>([
  'model_rate_limited',
  'model_overloaded',
  'model_unreachable',
  'model_bad_stream',
  'model_empty_answer',
  'model_timeout',
])

function classifyComplaint(complaint: ProviderComplaint, source: FaultSource): ModelFault {
  const { status, message, headers, body } = complaint
  const code = codeOf(complaint)
  const found = fault(source, code, `${saidWith(status)}: ${message}`, credentialFix(code, source))
  const wait = found.retryable ? retryAfterMs({ headers, body, now: source.now }) : undefined
  return {
    ...found,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(isThrottled(code, complaint) ? { isThrottled: true } : {}),
    ...(body === undefined || body === '' ? {} : { rawBody: hidden(source, body) }),
  }
}

/** By the provider's own words where it has some, else by the status. */
function codeOf(complaint: ProviderComplaint): ErrorCode {
  const { status = 0 } = complaint
  if (isQuota(complaint)) return 'model_quota_exceeded'
  if (isRefusedKey(complaint)) return 'model_auth'
  if (status === 429 || /rate_limit|RESOURCE_EXHAUSTED/u.test(complaint.words)) return 'model_rate_limited'
  if (isOverflow(complaint)) return 'context_overflow'
  if (status === 404 || /not_found/u.test(complaint.words)) return 'model_not_found'
  if (isOverload(complaint)) return 'model_overloaded'
  return status >= 400 || /invalid_request/u.test(complaint.words) ? 'model_bad_request' : 'model_bad_stream'
}

/** Money or quota is used up: by code, as the messages of Google's minute limits speak of billing too. */
function isQuota({ status, words, message }: ProviderComplaint): boolean {
  return (
    status === 402 ||
    /insufficient_quota|billing|credit/u.test(words) ||
    /credit balance is too low/iu.test(message)
  )
}

/** Google answers a wrong key with 400. */
function isRefusedKey({ status, words, body }: ProviderComplaint): boolean {
  return (
    status === 401 ||
    status === 403 ||
    /authentication_error|permission_error|invalid_api_key|UNAUTHENTICATED|PERMISSION_DENIED/u.test(words) ||
    (status === 400 && /API_KEY_INVALID/u.test(body ?? ''))
  )
}

const OVERFLOW =
  /context.length|context.window|context.size|maximum context|prompt is too long|input is too long|exceed context limit|input token count|reduce the length of the (?:messages|prompt)/iu

function isOverflow({ status, words, message }: ProviderComplaint): boolean {
  if (/context_length_exceeded|exceed_context_size|request_too_large/u.test(words) || status === 413)
    return true
  return (status ?? 400) < 500 && OVERFLOW.test(message)
}

function isOverload({ status = 0, words, message }: ProviderComplaint): boolean {
  return (
    status >= 500 ||
    status === 408 ||
    status === 409 ||
    /overloaded|server_error|api_error|UNAVAILABLE|INTERNAL/u.test(words) ||
    /overloaded/iu.test(message)
  )
}

/** Other failures of a provider say nothing about its load. */
function isThrottled(code: ErrorCode, { status, words, message }: ProviderComplaint): boolean {
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
  const message = excerpt(hidden(source, `${nameOf(source)} ${what}`))
  return { failure: failure(code, message, fix), retryable: RETRYABLE.has(code) }
}

function hidden({ handle }: FaultSource, text: string): string {
  return hideKeys(handle.hide?.(text) ?? text)
}

function nameOf({ handle }: FaultSource): string {
  return handle.id === '' ? 'The model' : `The model ${handle.id}`
}

function saidWith(status: number | undefined): string {
  return status === undefined ? 'reported' : `answered ${status}`
}

/** Names the refused key in the remediation, as messages of failures may reach models. */
function credentialFix(code: ErrorCode, { handle: { credential } }: FaultSource): string | undefined {
  return code === 'model_auth' && credential !== undefined ? `Check the key: it is ${credential}.` : undefined
}

const LONGEST = 1000

function excerpt(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`
}

/** Our own failure, also where an adapter has wrapped it. */
function ownFailure(thrown: unknown): Failure | undefined {
  if (isFailure(thrown)) return thrown
  for (const each of errorCauses(thrown)) if (TroupeError.isInstance(each)) return each.failure
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
