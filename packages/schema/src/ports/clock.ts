/** Time and timers. `now` returns wall time in ms; `monotonic` never goes backwards. */
export interface Clock {
  now(): number
  monotonic(): number
  /** Calls `fn` once after `ms`. Returns a function that cancels the timer. */
  after(ms: number, fn: () => void): () => void
}
