import { hash, timingSafeEqual } from 'node:crypto'
import { troupeError } from '@troupe/schema'

/** A token that lets its holder in. */
export interface ServerToken {
  readonly token: string
  /** Who holds it: runs, sessions and limits are kept apart by it. Default: `local`, which is also the user of the command line. */
  readonly principal?: string
}

/** Who a request comes from; undefined: from nobody who is known. */
export type FindPrincipal = (headers: Headers) => string | undefined

/** Everybody, where there are no tokens. */
export const LOCAL = 'local'
/** The cookie of the web page. */
export const TOKEN_COOKIE = 'troupe_token'
const SHORTEST = 8

/** Knows callers by their tokens: `Authorization: Bearer`, `x-api-key`, or the cookie of the web page. Without tokens everybody is `local`. Throws `config_invalid` for a token that is too short to be one. */
export function createPrincipals(tokens: readonly ServerToken[]): FindPrincipal {
  if (tokens.length === 0) return () => LOCAL
  const known = tokens.map(({ token, principal = LOCAL }) => {
    if (token.length < SHORTEST)
      throw troupeError('config_invalid', `The token of ${principal} is shorter than ${SHORTEST} characters.`)
    return { digest: digestOf(token), principal }
  })
  // those that were right before: a table compares texts only where their hashes are the same, which nobody outside can bring about
  const seen = new Map<string, string>()
  return (headers) => {
    const token = tokenOf(headers)
    if (token === undefined) return undefined
    const before = seen.get(token)
    if (before !== undefined) return before
    const digest = digestOf(token)
    // all are compared, and as a whole: how long it takes says nothing of them
    const [found] = known.filter((one) => timingSafeEqual(one.digest, digest))
    if (found !== undefined) seen.set(token, found.principal)
    return found?.principal
  }
}

function tokenOf(headers: Headers): string | undefined {
  const [, bearer] = /^Bearer +(\S+) *$/iu.exec(headers.get('authorization') ?? '') ?? []
  return bearer ?? headers.get('x-api-key') ?? cookieOf(headers)
}

function cookieOf(headers: Headers): string | undefined {
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === TOKEN_COOKIE) return decode(pair.slice(at + 1).trim())
  }
  return undefined
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    // not one that we have set
    return undefined
  }
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
