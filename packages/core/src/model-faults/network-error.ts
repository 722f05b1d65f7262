import { describeError } from './reported-error.ts'

const DEEPEST = 5

const NETWORK =
  /fetch failed|\bterminated\b|socket hang up|other side closed|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR|CERT_|TLS/u

/**
 * Returns a description of a network error, with its code, or `undefined` for any other error. Parse errors
 * are skipped, because they quote the model.
 */
export function networkError(thrown: unknown): string | undefined {
  for (const each of errorCauses(thrown)) {
    if (!(each instanceof Error)) continue
    if (/Parse|Validation|Syntax/u.test(each.name)) return undefined
    const code = codeOf(each)
    const isCall = each.name === 'AI_APICallError'
    if (NETWORK.test(code) || (!isCall && NETWORK.test(each.message)))
      return [code, deepest(each)].filter((text) => text !== '').join(': ')
  }
  return undefined
}

function deepest(error: Error): string {
  return errorCauses(error).at(-1) instanceof Error ? describeError(errorCauses(error).at(-1)) : error.message
}

/** Returns the error and its causes, outermost first. */
export function errorCauses(thrown: unknown): readonly unknown[] {
  const all: unknown[] = [thrown]
  for (let last = thrown; last instanceof Error && last.cause !== undefined && all.length < DEEPEST;) {
    last = last.cause
    all.push(last)
  }
  return all
}

const UNCONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/u

/** Returns true if no connection was made, so that nothing was sent. */
export function isUnconnected(thrown: unknown): boolean {
  return errorCauses(thrown).some((each) => UNCONNECTED.test(codeOf(each)))
}

/** Returns true if connecting took too long. The limit of `fetch` is 10 s. */
export function isConnectTimeout(thrown: unknown): boolean {
  return errorCauses(thrown).some(
    (each) => codeOf(each) === 'UND_ERR_CONNECT_TIMEOUT' || codeOf(each) === 'ETIMEDOUT',
  )
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
