import { troupeError, type Clock, type Failure, failure } from '@troupe/schema'
import { hash, timingSafeEqual } from 'node:crypto'

/** An access token of the server. */
export interface ServerToken {
  /** At least 16 characters. */
  readonly token: string
  /**
   * Owner of the runs, sessions and limits. Default: `local`, the operator, who can also edit cards and sees
   * failures in full.
   */
  readonly principal?: string
}

/** Identification of callers by their tokens. */
export interface Principals {
  /**
   * Returns the principal of a request, `undefined` if its token is missing or wrong, or a refusal if its
   * address has sent too many wrong tokens. A token that was right before is always accepted.
   */
  identify(headers: Headers, address: string): string | Failure | undefined
  /** Returns the principal of a request whose token was right before. */
  recognise(headers: Headers): string | undefined
}

/** Principal of the operator, and of every caller if there are no tokens. */
export const LOCAL = 'local'
/** Name of the web page's cookie. */
export const TOKEN_COOKIE = 'troupe_token'
const SHORTEST = 16

/**
 * Creates the identification by `Authorization: Bearer`, `x-api-key`, or the cookie of the web page. Without
 * tokens every caller is `local`. Throws `config_invalid` for a token that is too short.
 */
export function createPrincipals(
  tokens: readonly ServerToken[],
  clock: Pick<Clock, 'monotonic' | 'now'>,
): Principals {
  if (tokens.length === 0) return { identify: () => LOCAL, recognise: () => LOCAL }
  const known = tokens.map(({ token, principal = LOCAL }) => {
    requireLength(token, principal)
    return { digest: digestOf(token), principal }
  })
  const throttle = createGuessThrottle(clock)
  // Tokens that were right before, with their principals. A map compares texts only if their hashes are
  // equal, which a client cannot bring about.
  const seen = new Map<string, string>()

  function recognise(headers: Headers): string | undefined {
    const token = tokenOf(headers)
    return token === undefined ? undefined : seen.get(token)
  }

  return {
    recognise,
    identify(headers, address) {
      const token = tokenOf(headers)
      if (token === undefined || token === '') return undefined
      const before = seen.get(token)
      if (before !== undefined) return before
      const refused = throttle.check(address)
      if (refused !== undefined) return refused
      const digest = digestOf(token)
      // All tokens are compared, each in constant time, so that the duration reveals nothing about them.
      const [found] = known.filter((one) => timingSafeEqual(one.digest, digest))
      if (found === undefined) throttle.recordWrong(address, digest.toString('base64'))
      else seen.set(token, found.principal)
      return found?.principal
    },
  }
}

function requireLength(token: string, principal: string): void {
  if (token.length >= SHORTEST) return
  const message = `The token of ${principal} has ${token.length} characters; at least ${SHORTEST} are required.`
  throw troupeError('config_invalid', message, {
    fix: 'Replace it with a random one, such as the output of `openssl rand -hex 32`.',
  })
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
