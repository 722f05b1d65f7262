import { CallWindow, type CallSpan } from './call-window.ts'

/** A refused share up to this one is answered by retries alone: fewer calls at once would not help against refusals that have another cause. */
const TOLERATED_SHARE = 0.25
/** Refusals that are too few to tell a share from. */
const TOLERATED_CALLS = 1
const DECREASE = 0.7
/** After this time without a decrease, the limit grows with every answered call in place of every round trip. */
const QUIET_MS = 60_000
/** After a refusal no further call is sent for this time, unless a call is answered: its place would be refused to the next call as well. */
const PAUSE_MS = 1000
/** A call that takes longer no longer counts, so that one that hangs does not block others for as long as it hangs. */
const COUNTED_SECONDS = 10
/** Calls after which the share is told anew, at least. */
const SAMPLE = 20
const SMALLEST_RESTART = 3

/** A call that counts against an {@link AdaptiveLimit}. */
export interface CountedCall {
  readonly span: CallSpan
  readonly round: number
}

/**
 * Limits the calls in flight with additive increase and multiplicative decrease. There is no limit until the provider refuses more than a quarter of
 * the calls. Then 0.7 of the calls in flight are the limit, at most once for each round trip. Further refusals of the same round trip lower it
 * to the calls that the provider did take. From there every answered call raises it by one, and above the 0.7 by one for each round trip.
 */
export class AdaptiveLimit {
  readonly #window = new CallWindow(COUNTED_SECONDS)
  #limit = Infinity
  /** Below it the limit grows with every answered call. */
  #fastBelow = 0
  #open = 0
  /** Grows with every decrease: what was sent before it says nothing about the new limit. */
  #round = 0
  #started = 0
  #throttled = 0
  #decreasedAt = -Infinity
  #pausedUntil = 0

  /** The calls that may be in flight. At least 1. */
  get limit(): number {
    return Math.floor(this.#limit)
  }

  /** Returns how long a call has to wait for room in ms: 0 if there is room. A shorter wait is possible if a call ends. */
  waitMs(now: number): number {
    if (this.#limit === Infinity) return 0
    if (now < this.#pausedUntil) return this.#pausedUntil - now
    return this.#counted(now) < this.limit ? 0 : (this.#window.nextExpiryMs(now) ?? 0)
  }

  begin(now: number): CountedCall {
    this.#open += 1
    this.#started += 1
    // calls at once are one sample, however many they are
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

  /** Lowers the limit as a refusal does, and lets it grow quickly from there. Called when the provider stops to work, so that its return is gradual. */
  restart(now: number): void {
    this.#decrease(now)
    this.#limit = Math.max(SMALLEST_RESTART, this.#limit)
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

  /** A limit that is not reached says nothing, so it does not grow. */
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
