import type { CallerRole } from '@troupe/headends'
import { failure, troupeError, type Clock, type Failure, type MaybePromise } from '@troupe/schema'
import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Identity } from '../identity/roles.ts'
import type { TokenVerifier } from '../identity/token-verifier.ts'
import { PROXY_PREFIX, type TrustedProxy } from '../identity/trusted-proxy.ts'

/** An access token of the server. */
export interface ServerToken {
  /** At least 16 characters. */
  readonly token: string
  /** Owner of the runs, sessions and limits. Default: `local`, the principal of the CLI. */
  readonly principal?: string
  /** Default: `operator` for the principal `local`, `user` for all others. */
  readonly role?: CallerRole
}

/** Identification of callers by their tokens, or by the headers of a trusted proxy. */
export interface Principals {
  /**
   * Returns the caller of a request, `undefined` if its token is missing or wrong, or a refusal, for example
   * if its address has sent too many wrong tokens. A token that was right before is always accepted.
   */
  identify(
    headers: Headers,
    address: string,
    /** The request, unless the token is in its body. */
    incoming?: Pick<IncomingMessage, 'headersDistinct'>,
  ): MaybePromise<Identity | Failure | undefined>
  /** Returns the caller of a request whose token of the configuration was right before. */
  recognise(headers: Headers): Identity | undefined
}

/** Further ways to identify callers. */
interface IdentitySources {
  /** Verifies the tokens of an identity provider. */
  readonly verifier?: TokenVerifier | undefined
  readonly trustedProxy?: TrustedProxy | undefined
}

/** Principal of the CLI, and of every caller if the server identifies none. */
export const LOCAL = 'local'
/** The caller that every request has if the server identifies none. */
export const LOCAL_OPERATOR: Identity = { principal: LOCAL, role: 'operator' }
/** Name of the web page's cookie. */
export const TOKEN_COOKIE = 'troupe_token'
const SHORTEST = 16

/**
 * Creates the identification by the headers of a trusted proxy, or by a token in `Authorization: Bearer`,
 * `x-api-key`, or the cookie of the web page. Without any of these every caller is the operator `local`.
 * Throws `config_invalid` for an unusable token.
 */
export function createPrincipals(
  tokens: readonly ServerToken[],
  clock: Pick<Clock, 'monotonic' | 'now'>,
  sources: IdentitySources = {},
): Principals {
  const { verifier, trustedProxy } = sources
  if (tokens.length === 0 && verifier === undefined && trustedProxy === undefined)
    return { identify: () => LOCAL_OPERATOR, recognise: () => LOCAL_OPERATOR }
  const known = tokens.map((token) => {
    requireUsable(token, sources)
    const { principal = LOCAL, role = principal === LOCAL ? 'operator' : 'user' } = token
    return { digest: digestOf(token.token), identity: { principal, role } }
  })
  const throttle = createGuessThrottle(clock)
  // Tokens that were right before, with their callers. A map compares texts only if their hashes are
  // equal, which a client cannot bring about.
  const seen = new Map<string, Identity>()

  return {
    recognise(headers) {
      const token = tokenOf(headers)
      return token === undefined ? undefined : seen.get(token)
    },
    identify(headers, address, incoming) {
      const user = incoming === undefined ? undefined : trustedProxy?.identify(incoming)
      if (user !== undefined) return user
      const token = tokenOf(headers)
      if (token === undefined || token === '') return undefined
      // Signatures cannot be guessed, so wrong ones do not block an address.
      if (verifier !== undefined && isJwt(token)) return verifier.verify(token)
      const before = seen.get(token)
      if (before !== undefined) return before
      const refused = throttle.check(address)
      if (refused !== undefined) return refused
      const digest = digestOf(token)
      // All tokens are compared, each in constant time, so that the duration reveals nothing about them.
      const [found] = known.filter((one) => timingSafeEqual(one.digest, digest))
      if (found === undefined) throttle.recordWrong(address, digest.toString('base64'))
      else seen.set(token, found.identity)
      return found?.identity
    },
  }
}

function requireUsable(
  { token, principal = LOCAL }: ServerToken,
  { verifier, trustedProxy }: IdentitySources,
): void {
  const fix = 'Replace it with a random one, such as the output of `openssl rand -hex 32`.'
  if (token.length < SHORTEST)
    throw troupeError(
      'config_invalid',
      `The token of ${principal} has ${token.length} characters; at least ${SHORTEST} are required.`,
      { fix },
    )
  if (verifier !== undefined && isJwt(token))
    throw troupeError(
      'config_invalid',
      `The token of ${principal} looks like one of the identity provider (server.oidc).`,
      { fix },
    )
  // Otherwise the token could stand for a user of the provider or the proxy.
  const reserved = [
    ...(verifier === undefined ? [] : ['http://', 'https://']),
    ...(trustedProxy === undefined ? [] : [PROXY_PREFIX]),
  ].find((prefix) => principal.startsWith(prefix))
  if (reserved !== undefined)
    throw troupeError(
      'config_invalid',
      `server.tokens: the principal ${principal} must not begin with ${reserved}`,
    )
}

/** Returns true for text in the form of a signed JSON Web Token. */
function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/u.test(token)
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
    // Not a cookie of this server.
    return undefined
  }
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** A throttle for clients that guess tokens, by address. */
interface GuessThrottle {
  /** Returns a refusal while the address is blocked. */
  check(address: string): Failure | undefined
  /** Records a wrong token by its digest. A repeated wrong token counts once. */
  recordWrong(address: string, digest: string): void
}

/** Wrong tokens that an address may send before it is blocked. */
const FREE_GUESSES = 10
/** Duration of the first block. It doubles with each further guess, up to the longest. */
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000
/** Time without a wrong token after which a count is reset, in ms. */
const FORGET_MS = 900_000
/** Maximum number of wrong tokens remembered per address. */
const MOST_KNOWN = 32
/** Maximum number of addresses remembered. The least recent one is dropped first. */
const MOST_ADDRESSES = 10_000

interface Guesser {
  guesses: number
  /** Monotonic time of the last guess, in ms. */
  at: number
  blockedUntil: number
  readonly known: Set<string>
}

/** Creates an empty throttle. */
function createGuessThrottle(clock: Pick<Clock, 'monotonic' | 'now'>): GuessThrottle {
  const guessers = new Map<string, Guesser>()

  function find(address: string): Guesser {
    const now = clock.monotonic()
    const known = guessers.get(address)
    if (known !== undefined && now - known.at < FORGET_MS) return known
    return { guesses: 0, at: now, blockedUntil: -Infinity, known: new Set() }
  }

  return {
    check(address) {
      const waitMs = find(address).blockedUntil - clock.monotonic()
      if (waitMs <= 0) return undefined
      const message = 'Too many requests with wrong tokens came from this address.'
      return { ...failure('rate_limited', message), retryAt: clock.now() + waitMs }
    },
    recordWrong(address, digest) {
      const guesser = find(address)
      if (guesser.known.has(digest)) return
      guesser.guesses += 1
      guesser.at = clock.monotonic()
      guesser.known.add(digest)
      const [first] = guesser.known
      if (guesser.known.size > MOST_KNOWN && first !== undefined) guesser.known.delete(first)
      const doublings = guesser.guesses - FREE_GUESSES
      if (doublings >= 0)
        guesser.blockedUntil = guesser.at + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** doublings)
      guessers.delete(address)
      guessers.set(address, guesser)
      const [oldest] = guessers.keys()
      if (guessers.size > MOST_ADDRESSES && oldest !== undefined) guessers.delete(oldest)
    },
  }
}
