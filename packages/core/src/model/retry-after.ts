import { isJsonObject } from '@troupe/schema'

/** Sources of the wait before a retry. Header names are in lower case. */
export interface RetryHints {
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
    const said: unknown = JSON.parse(body)
    const error = isJsonObject(said) ? said['error'] : undefined
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
