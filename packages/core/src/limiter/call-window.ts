const SPAN_MS = 1000

/** Numbers of calls in one second. */
export interface SecondCounts {
  readonly index: number
  /** Calls that started in this second and have not ended. */
  open: number
  /** Calls that ended in this second. */
  ended: number
  /** Calls among `ended` that failed. */
  failed: number
}

/**
 * Counts the calls of the last seconds, one counter per second, so that memory does not grow with their
 * number. Times are monotonic.
 */
export class CallWindow {
  readonly #seconds: number
  #spans: SecondCounts[] = []

  constructor(seconds: number) {
    this.#seconds = seconds
  }

  /** Counts a starting call. Returns the span to pass to {@link end}. */
  begin(now: number): SecondCounts {
    const span = this.#current(now)
    span.open += 1
    return span
  }

  end(startedIn: SecondCounts, now: number, result: 'answered' | 'failed' | 'unknown'): void {
    startedIn.open -= 1
    if (result === 'unknown') return
    const span = this.#current(now)
    span.ended += 1
    if (result === 'failed') span.failed += 1
  }

  /** Returns the sums of all spans. An open call that started before the first span is not counted. */
  totals(now: number): { readonly open: number; readonly ended: number; readonly failed: number } {
    this.#current(now)
    const sum = { open: 0, ended: 0, failed: 0 }
    for (const { open, ended, failed } of this.#spans) {
      sum.open += open
      sum.ended += ended
      sum.failed += failed
    }
    return sum
  }

  /** Returns the time in ms until the oldest open call is no longer counted, if a call is open. */
  nextExpiryMs(now: number): number | undefined {
    const oldest = this.#spans.find(({ open }) => open > 0)
    return oldest && Math.max(1, (oldest.index + this.#seconds) * SPAN_MS - now)
  }

  clear(): void {
    this.#spans = []
  }

  #current(now: number): SecondCounts {
    const index = Math.floor(now / SPAN_MS)
    const last = this.#spans.at(-1)
    if (last !== undefined && last.index >= index) return last
    const span = { index, open: 0, ended: 0, failed: 0 }
    this.#spans.push(span)
    while ((this.#spans[0]?.index ?? index) <= index - this.#seconds) this.#spans.shift()
    return span
  }
}
