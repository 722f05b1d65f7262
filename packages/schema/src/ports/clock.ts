/** Time and timers. `now` is wall time in ms, `monotonic` never goes back. */
export interface Clock {
  now(): number
  monotonic(): number
  /** Calls `fn` once after `ms`; the answer cancels it. */
  after(ms: number, fn: () => void): () => void
}
