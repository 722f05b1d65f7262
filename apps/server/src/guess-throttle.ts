import { failure, type Clock, type Failure } from '@troupe/schema'

/** Slows down clients that guess tokens, by their addresses. */
export interface GuessThrottle {
  /** Returns a refusal while the address is blocked. */
  check(address: string): Failure | undefined
  /** Records a wrong token by its digest. A repeated wrong token counts once. */
  recordWrong(address: string, digest: string): void
}

/** Wrong tokens that an address may send before it must wait. */
const FREE_GUESSES = 10
/** The first wait; it doubles with each further guess, up to the longest. */
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000
/** A count is reset after this time without a wrong token, in ms. */
const FORGET_MS = 900_000
/** Wrong tokens remembered per address. */
const MOST_KNOWN = 32
/** Addresses remembered; the least recent one is dropped first. */
const MOST_ADDRESSES = 10_000

interface Guesser {
  guesses: number
  /** Monotonic time of the last guess, in ms. */
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
