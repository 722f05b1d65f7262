import type { ModelHandle } from '@troupe/schema'

const MINUTE_MS = 60_000

/** A call that counts in a {@link MinuteWindow}. */
export interface CountedTokens {
  readonly at: number
  tokens: number
}

/** The calls of the last minute with one key. Times are monotonic. */
export class MinuteWindow {
  #calls: CountedTokens[] = []

  /**
   * Returns how long a call with `tokens` must wait for the limits in ms, or 0. A call that is larger than
   * the whole limit may be sent alone, as only the provider can tell if it accepts it.
   */
  waitMs(limits: NonNullable<ModelHandle['rateLimits']>, tokens: number, now: number): number {
    const { requestsPerMinute = Infinity, tokensPerMinute = Infinity } = limits
    this.#calls = this.#calls.filter(({ at }) => now - at < MINUTE_MS)
    let requests = this.#calls.length
    let used = this.#calls.reduce((sum, call) => sum + call.tokens, 0)
    const fits = (): boolean =>
      requests === 0 || (requests < requestsPerMinute && used + tokens <= tokensPerMinute)
    if (fits()) return 0
    for (const call of this.#calls) {
      requests -= 1
      used -= call.tokens
      if (fits()) return call.at + MINUTE_MS - now
    }
    return 0
  }

  /** Counts a call with its estimated tokens. Set `tokens` of the result when the actual number is known. */
  add(tokens: number, now: number): CountedTokens {
    const call = { at: now, tokens }
    this.#calls.push(call)
    return call
  }
}
