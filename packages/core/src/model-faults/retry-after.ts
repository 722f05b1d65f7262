import { isJsonObject } from '@troupe/schema'

/** What a provider said beside its message. Header names are in lower case. */
export interface RetryHints {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
  /** Wall time in ms, for dates. */
  readonly now: number
}

/**
 * Returns how long the provider wants a caller to wait, in ms: `retry-after-ms`, `retry-after` in seconds or as a date, else the `RetryInfo` that
 * Google puts into the body. Undefined: it did not say.
 */
export function retryAfterMs({ headers = {}, body, now }: RetryHints): number | undefined {
  return (
    atLeastZero(toNumber(headers['retry-after-ms'])) ??
    atLeastZero(secondsToMs(toNumber(headers['retry-after']))) ??
    atLeastZero(untilDate(headers['retry-after'], now)) ??
    inBody(body)
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

function untilDate(text: string | undefined, now: number): number | undefined {
  const at = Date.parse(text ?? '')
  return Number.isNaN(at) ? undefined : at - now
}

function atLeastZero(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.max(0, ms)
}

/** `{error: {details: [{retryDelay: "34.5s"}]}}` */
function inBody(body: string | undefined): number | undefined {
  if (body?.includes('"retryDelay"') !== true) return undefined
  try {
    const said: unknown = JSON.parse(body)
    const error = isJsonObject(said) ? said['error'] : undefined
    const details = isJsonObject(error) ? error['details'] : undefined
    for (const detail of Array.isArray(details) ? details : []) {
      const delay = isJsonObject(detail) ? detail['retryDelay'] : undefined
      const seconds = typeof delay === 'string' ? /^(?<seconds>\d+(?:\.\d+)?)s$/u.exec(delay) : null
      if (seconds !== null) return Math.ceil(Number(seconds.groups?.['seconds']) * 1000)
    }
  } catch {
    // not JSON: a proxy answered, and nothing is known
  }
  return undefined
}
