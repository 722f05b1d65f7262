import { describeError } from './provider-complaint.ts'

const DEEPEST = 5

const NETWORK =
  /fetch failed|\bterminated\b|socket hang up|other side closed|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR|CERT_|TLS/u

/** What broke the line, with its code; undefined: it is something else. Parse errors quote what the model wrote, so they are not looked into. */
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

/** The error and what caused it, the outermost first. */
export function errorCauses(thrown: unknown): readonly unknown[] {
  const all: unknown[] = [thrown]
  for (let last = thrown; last instanceof Error && last.cause !== undefined && all.length < DEEPEST;) {
    last = last.cause
    all.push(last)
  }
  return all
}

const UNCONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/u

/** True where no connection came about, so that nothing was sent. */
export function isUnconnected(thrown: unknown): boolean {
  return errorCauses(thrown).some((each) => UNCONNECTED.test(codeOf(each)))
}

/** True where the connection took too long: `fetch` waits 10 s for it. */
export function isConnectTimeout(thrown: unknown): boolean {
  return errorCauses(thrown).some(
    (each) => codeOf(each) === 'UND_ERR_CONNECT_TIMEOUT' || codeOf(each) === 'ETIMEDOUT',
  )
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
