import type { Failure } from '../errors/errors.ts'

/** Time and timers. `now` returns wall time in ms; `monotonic` never goes backwards. */
export interface Clock {
  now(): number
  monotonic(): number
  /** Calls `fn` once after `ms`. Returns a function that cancels the timer. */
  after(ms: number, fn: () => void): () => void
}

/** A cancellation that fires at most once, with a reason. */
export interface CancellationToken {
  /** The reason; `undefined` if not cancelled. */
  readonly reason: Failure | undefined
  /**
   * Calls `fn` on cancellation, immediately if already cancelled. Returns a function that removes the
   * listener.
   */
  onCancel(fn: (reason: Failure) => void): () => void
}

/** A limit on active time, which can be paused. */
export interface Deadline {
  /** Returns the remaining active time in ms, at least 0. */
  remaining(): number
  /** Pauses this deadline and those above it. Returns a function that continues them. */
  pause(): () => void
}
