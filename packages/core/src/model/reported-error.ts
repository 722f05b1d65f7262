import { APICallError } from '@ai-sdk/provider'
import { errorMessage, isJsonObject, type JsonObject } from '@troupe/schema'

/** An error that a provider reported by status, in a stream, or in the body of a successful response. */
export interface ReportedError {
  /** `undefined` if there was no response, or for a stream error without status. */
  readonly status: number | undefined
  /** `type`, `code` and `status` of the error object, joined by spaces. */
  readonly words: string
  readonly message: string
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly body: string | undefined
}

/**
 * Returns the error that a provider reported, from a value that its adapter threw or put into its stream.
 * `undefined` if there is none and the answer itself is malformed.
 */
export function parseReportedError(thrown: unknown): ReportedError | undefined {
  if (APICallError.isInstance(thrown)) return fromApiCallError(thrown)
  if (thrown instanceof Error || !isJsonObject(thrown)) return undefined
  return fromErrorObject(thrown)
}

function fromApiCallError(error: APICallError): ReportedError | undefined {
  const { statusCode: status, responseHeaders: headers, responseBody: body } = error
  const errorObject = errorIn(body)
  if (status === undefined || status >= 400)
    return { status, words: wordsOf(errorObject ?? {}), message: error.message, headers, body }
  // a successful response that cannot be parsed may contain an error
  return errorObject === undefined ? undefined : { ...fromErrorObject(errorObject), headers, body }
}

/** Reads the error object of a stream. Adapters pass it on unchanged, with a status if they know one. */
function fromErrorObject(error: JsonObject): ReportedError {
  const { statusCode, message } = error
  return {
    status: typeof statusCode === 'number' ? statusCode : numericCode(error),
    words: wordsOf(error),
    message: typeof message === 'string' ? message : JSON.stringify(error),
    headers: undefined,
    body: undefined,
  }
}

/** Returns the status that Google and OpenRouter repeat as `code`. */
function numericCode({ code }: JsonObject): number | undefined {
  return typeof code === 'number' && code >= 400 && code < 600 ? code : undefined
}

function wordsOf({ type, code, status, data }: JsonObject): string {
  const own = [type, code, status].filter((word) => typeof word === 'string')
  const nested = isJsonObject(data) ? wordsOf({ ...data, data: null }) : ''
  return [...own, nested].join(' ').trim()
}

/** Returns the error object in a body: `{error: {...}}`, `{error: "text"}`, or `{type: "error", ...}`. */
function errorIn(body: string | undefined): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(body ?? '')
    if (!isJsonObject(json)) return undefined
    const { error } = json
    if (isJsonObject(error)) return error
    if (typeof error === 'string') return { message: error }
    return json['type'] === 'error' ? json : undefined
  } catch {
    // not JSON: the error page of a proxy, or a truncated answer
    return undefined
  }
}

/** Returns the message of an error that the provider did not report. */
export function describeError(thrown: unknown): string {
  if (thrown instanceof Error || !isJsonObject(thrown)) return errorMessage(thrown)
  return typeof thrown['message'] === 'string' ? thrown['message'] : JSON.stringify(thrown)
}

const MAX_CAUSES = 5

const NETWORK =
  /fetch failed|\bterminated\b|socket hang up|other side closed|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR|CERT_|TLS/u

/**
 * Returns a description of a network error, with its code, or `undefined` for any other error. Parse errors
 * are skipped, because they quote the model.
 */
export function networkError(thrown: unknown): string | undefined {
  for (const cause of errorCauses(thrown)) {
    if (!(cause instanceof Error)) continue
    if (/Parse|Validation|Syntax/u.test(cause.name)) return undefined
    const code = codeOf(cause)
    const isCall = cause.name === 'AI_APICallError'
    if (NETWORK.test(code) || (!isCall && NETWORK.test(cause.message)))
      return [code, deepest(cause)].filter((text) => text !== '').join(': ')
  }
  return undefined
}

function deepest(error: Error): string {
  return errorCauses(error).at(-1) instanceof Error ? describeError(errorCauses(error).at(-1)) : error.message
}

/** Returns the error and its causes, outermost first. */
export function errorCauses(thrown: unknown): readonly unknown[] {
  const all: unknown[] = [thrown]
  for (let last = thrown; last instanceof Error && last.cause !== undefined && all.length < MAX_CAUSES;) {
    last = last.cause
    all.push(last)
  }
  return all
}

const UNCONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/u

/** Returns true if no connection was made, so that nothing was sent. */
export function isUnconnected(thrown: unknown): boolean {
  return errorCauses(thrown).some((cause) => UNCONNECTED.test(codeOf(cause)))
}

/** Returns true if connecting took too long. The limit of `fetch` is 10 s. */
export function isConnectTimeout(thrown: unknown): boolean {
  return errorCauses(thrown).some(
    (cause) => codeOf(cause) === 'UND_ERR_CONNECT_TIMEOUT' || codeOf(cause) === 'ETIMEDOUT',
  )
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Sources of the wait before a retry. Header names are in lower case. */
interface RetryHints {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
  /** Wall time in ms, to convert dates. */
  readonly now: number
}

/**
 * Returns the wait in ms that the provider asks for: `retry-after-ms`, `retry-after` in seconds or as a date,
 * or Google's `RetryInfo` in the body. `undefined` if there is none.
 */
export function retryAfterMs({ headers = {}, body, now }: RetryHints): number | undefined {
  return (
    atLeastZero(toNumber(headers['retry-after-ms'])) ??
    atLeastZero(secondsToMs(toNumber(headers['retry-after']))) ??
    atLeastZero(msUntilDate(headers['retry-after'], now)) ??
    retryDelayInBody(body)
  )
}

function toNumber(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

function secondsToMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.ceil(seconds * 1000)
}

function msUntilDate(text: string | undefined, now: number): number | undefined {
  const at = Date.parse(text ?? '')
  return Number.isNaN(at) ? undefined : at - now
}

function atLeastZero(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.max(0, ms)
}

/** Reads `{error: {details: [{retryDelay: "34.5s"}]}}`. */
function retryDelayInBody(body: string | undefined): number | undefined {
  if (body?.includes('"retryDelay"') !== true) return undefined
  try {
    const json: unknown = JSON.parse(body)
    const error = isJsonObject(json) ? json['error'] : undefined
    const details = isJsonObject(error) ? error['details'] : undefined
    for (const detail of Array.isArray(details) ? details : []) {
      const delay = isJsonObject(detail) ? detail['retryDelay'] : undefined
      const seconds = typeof delay === 'string' ? /^(?<seconds>\d+(?:\.\d+)?)s$/u.exec(delay) : null
      if (seconds !== null) return Math.ceil(Number(seconds.groups?.['seconds']) * 1000)
    }
  } catch {
    // not JSON, probably sent by a proxy
  }
  return undefined
}
