import { failure, type Clock, type Failure } from '@troupe/schema'

/** A throttle for clients that guess tokens, by address. */
export interface GuessThrottle {
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
