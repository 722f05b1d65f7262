import { failure, type Clock, type Failure } from '@troupe/schema'

/** Slows down clients that guess tokens, by their addresses. */
export interface GuessThrottle {
  /** Returns the refusal if the address must wait before another token of it is looked at. */
  check(address: string): Failure | undefined
  /** Counts a wrong token, given by its digest. The same wrong token again is no further guess. */
  wrong(address: string, digest: string): void
}

/** Wrong tokens that an address may send before it must wait. */
const FREE_GUESSES = 10
/** The first wait; it doubles with each further guess, up to the longest. */
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000
/** An address that sent no wrong token for so long starts anew. */
const FORGET_MS = 900_000
/** Wrong tokens of one address that are known again. */
const MOST_KNOWN = 32
/** Addresses at once; those that have guessed nothing for the longest make room. */
const MOST_ADDRESSES = 10_000

interface Guesser {
  guesses: number
  /** Of its last guess, monotonic time in ms. */
  at: number
  blockedUntil: number
  readonly known: Set<string>
}

/** Creates a throttle that knows no address. */
export function createGuessThrottle(clock: Pick<Clock, 'monotonic' | 'now'>): GuessThrottle {
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
      const message = 'Too many wrong tokens came from this address.'
      return { ...failure('rate_limited', message), retryAt: clock.now() + waitMs }
    },
    wrong(address, digest) {
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
