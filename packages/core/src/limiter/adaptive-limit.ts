import { CallWindow, type SecondCounts } from './circuit-breaker.ts'

/**
 * Share of refused calls that is left to retries. Refusals up to it may have other causes, which fewer
 * concurrent calls would not fix.
 */
const TOLERATED_SHARE = 0.25
/** Number of refusals that is too small to compute a share from. */
const TOLERATED_CALLS = 1
const DECREASE = 0.7
/** Time in ms without a decrease after which the limit grows with every answer, not every round trip. */
const QUIET_MS = 60_000
/** Time in ms without further calls after a refusal, because the next call would be refused too. */
const PAUSE_MS = 1000
/** Seconds after which a call no longer counts, so that a call that hangs does not block others. */
const COUNTED_SECONDS = 10
/** Minimum number of calls after which older calls lose weight in the share of refusals. */
const SAMPLE = 20
const MIN_RESTART_LIMIT = 3

/** A call that counts against an {@link AdaptiveLimit}. */
export interface CountedCall {
  readonly span: SecondCounts
  readonly round: number
}

/**
 * Limits the calls in flight with additive increase and multiplicative decrease. There is no limit until the
 * provider refuses more than a quarter of the calls. Then the limit becomes 0.7 of the calls in flight, at
 * most once per round trip. Further refusals of the same round trip lower it to the number of accepted calls.
 * Below the 0.7, every answered call raises it by one; above, every round trip does.
 */
export class AdaptiveLimit {
  readonly #window = new CallWindow(COUNTED_SECONDS)
  #limit = Infinity
  /** Below this value, the limit grows with every answered call. */
  #fastBelow = 0
  #open = 0
  /**
   * Incremented with every decrease. Results of calls that were sent before it do not affect the new limit.
   */
  #round = 0
  #started = 0
  #throttled = 0
  #decreasedAt = -Infinity
  #pausedUntil = 0

  /** Maximum number of calls in flight, at least 1. */
  get limit(): number {
    return Math.floor(this.#limit)
  }

  /** Returns how long a call must wait in ms, or 0. The wait may end earlier if another call ends. */
  waitMs(now: number): number {
    if (this.#limit === Infinity) return 0
    if (now < this.#pausedUntil) return this.#pausedUntil - now
    return this.#counted(now) < this.limit ? 0 : (this.#window.nextExpiryMs(now) ?? 0)
  }

  begin(now: number): CountedCall {
    this.#open += 1
    this.#started += 1
    // concurrent calls are one sample, however many there are
    if (this.#started >= Math.max(SAMPLE, 2 * this.#open)) {
      this.#started /= 2
      this.#throttled /= 2
    }
    return { span: this.#window.begin(now), round: this.#round }
  }

  end(call: CountedCall, now: number, result: 'answered' | 'throttled' | 'other'): void {
    if (result === 'throttled') this.#throttle(call.round, now)
    else if (result === 'answered') this.#grow(now)
    this.#open -= 1
    this.#window.end(call.span, now, 'unknown')
  }

  /** Lowers the limit when the provider fails, but lets it grow back quickly. */
  restart(now: number): void {
    this.#decrease(now)
    this.#limit = Math.max(MIN_RESTART_LIMIT, this.#limit)
    this.#fastBelow = Infinity
  }

  #throttle(round: number, now: number): void {
    this.#pausedUntil = now + PAUSE_MS
    if (round === this.#round - 1) this.#limit = Math.max(1, Math.min(this.#limit, this.#counted(now) - 1))
    if (round !== this.#round) return
    this.#throttled += 1
    if (this.#throttled > TOLERATED_CALLS + this.#started * TOLERATED_SHARE) this.#decrease(now)
  }

  #decrease(now: number): void {
    this.#limit = Math.max(1, Math.min(this.#limit, this.#counted(now)) * DECREASE)
    this.#fastBelow = this.#limit
    this.#decreasedAt = now
    this.#round += 1
    this.#started = 0
    this.#throttled = 0
  }

  /** Raises the limit if it is fully used. Otherwise an answer gives no evidence for a higher limit. */
  #grow(now: number): void {
    this.#pausedUntil = 0
    if (this.#limit === Infinity || this.#counted(now) < this.limit) return
    const isFast = this.#limit < this.#fastBelow || now - this.#decreasedAt >= QUIET_MS
    this.#limit += isFast ? 1 : 1 / this.#limit
  }

  #counted(now: number): number {
    return this.#window.totals(now).open
  }
}
