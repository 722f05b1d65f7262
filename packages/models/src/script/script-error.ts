import { APICallError } from '@ai-sdk/provider'
import type { ScriptFailure } from './script-schema.ts'

/** Creates the error that a provider's adapter would throw for the status. */
export function scriptError(fail: ScriptFailure, file: string): APICallError {
  const { status, message, retryAfter } = fail
  return new APICallError({
    message: message ?? `The script plays an error of status ${status}.`,
    url: `script/${file}`,
    requestBodyValues: {},
    statusCode: status,
    responseHeaders: retryAfter === undefined ? {} : retryHeaders(retryAfter),
    isRetryable: status === 408 || status === 409 || status === 429 || status >= 500,
  })
}

/** Returns both headers that providers send: `retry-after` in whole seconds, `retry-after-ms` exactly. */
function retryHeaders(retryAfter: number): Record<string, string> {
  return { 'retry-after': String(Math.ceil(retryAfter / 1000)), 'retry-after-ms': String(retryAfter) }
}
