import type { ErrorCode } from '@troupe/schema'

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

const WINDOW_SECONDS = 30
/** Minimum number of calls before the circuit can open. */
const MIN_CALLS = 10
/** Share of failed calls at which the circuit opens. Below it, retries usually succeed. */
const FAILED_SHARE = 0.7
const FIRST_OPEN_MS = 5000
const MAX_OPEN_MS = 30_000
const PROBES = 3
/** Number of probes with the same result that decide. */
const DECIDING = 2
/** Time in ms after which probes without an answer are replaced. */
const PROBE_ROUND_MS = 10_000

/** Error codes of provider failures. Rate limits, rejected keys and invalid requests are not among them. */
const FAILURES: ReadonlySet<string> = new Set<ErrorCode>([
  'model_overloaded',
  'model_unreachable',
  'model_timeout',
])

/** A call that the circuit breaker let through. */
export interface TrackedCall {
  readonly span: SecondCounts
  readonly generation: number
}

/** State change caused by the end of a call. */
export type CircuitChange =
  | { readonly to: 'open'; readonly forMs: number; readonly failed: number; readonly calls: number }
  | { readonly to: 'closed' }

/** Called when a circuit breaker opens or closes. `isAgain` is true if its probes have failed. */
type CircuitListener = (change: { readonly to: 'open' | 'closed'; readonly isAgain: boolean }) => void

/**
 * The circuit breaker of one model of a provider. It opens if 70 % of at least ten calls of the last 30 s
 * have failed, where calls in flight count as calls. After 5 s it lets three probes through, and two equal
 * results decide. Each time they fail, it stays open twice as long, at most 30 s.
 */
export class CircuitBreaker {
  readonly #window = new CallWindow(WINDOW_SECONDS)
  readonly #listeners: CircuitListener[] = []
  #openUntil: number | undefined
  #openMs = 0
  /** Incremented with every opening and closing. Results of calls from an earlier state are ignored. */
  #generation = 0
  #probes = 0
  #probesSince = 0
  #failedProbes = 0
  #answeredProbes = 0

  onChange(listener: CircuitListener): void {
    this.#listeners.push(listener)
  }

  /** Returns how long a call must wait in ms, or 0. */
  waitMs(now: number): number {
    if (this.#openUntil === undefined) return 0
    if (now < this.#openUntil) return this.#openUntil - now
    if (this.#probes < PROBES) return 0
    return Math.max(0, this.#probesSince + PROBE_ROUND_MS - now)
  }

  /** Counts a starting call, as a probe if the circuit breaker is open. */
  begin(now: number): TrackedCall {
    if (this.#openUntil !== undefined) {
      if (this.#probes === 0 || this.#probes >= PROBES) {
        this.#probes = 0
        this.#probesSince = now
      }
      this.#probes += 1
    }
    return { span: this.#window.begin(now), generation: this.#generation }
  }

  /** Ends a call. `code` is its error code, and `isCancelled` is true if the caller cancelled it. */
  end(
    call: TrackedCall,
    now: number,
    { code, isCancelled }: { readonly code?: string | undefined; readonly isCancelled?: boolean | undefined },
  ): CircuitChange | undefined {
    const isFailure = code !== undefined && FAILURES.has(code)
    const result = isCancelled === true ? 'unknown' : isFailure ? 'failed' : 'answered'
    const isCurrent = call.generation === this.#generation
    this.#window.end(call.span, now, isCurrent ? result : 'unknown')
    if (!isCurrent) return undefined
    if (this.#openUntil !== undefined) return this.#endProbe(result, now)
    return result === 'failed' ? this.#check(now) : undefined
  }

  #check(now: number): CircuitChange | undefined {
    const { open, ended, failed } = this.#window.totals(now)
    const calls = open + ended
    return calls >= MIN_CALLS && failed >= calls * FAILED_SHARE
      ? this.#open(now, { failed, calls })
      : undefined
  }

  #endProbe(result: 'answered' | 'failed' | 'unknown', now: number): CircuitChange | undefined {
    if (result === 'unknown') this.#probes = Math.max(0, this.#probes - 1)
    else if (result === 'failed') this.#failedProbes += 1
    else this.#answeredProbes += 1
    const failed = this.#failedProbes
    if (failed >= DECIDING) return this.#open(now, { failed, calls: failed + this.#answeredProbes })
    return this.#answeredProbes >= DECIDING ? this.#close() : undefined
  }

  #open(now: number, sample: { readonly failed: number; readonly calls: number }): CircuitChange {
    const isAgain = this.#openUntil !== undefined
    this.#openMs = isAgain ? Math.min(MAX_OPEN_MS, this.#openMs * 2) : FIRST_OPEN_MS
    this.#openUntil = now + this.#openMs
    this.#restart()
    this.#notify({ to: 'open', isAgain })
    return { to: 'open', forMs: this.#openMs, ...sample }
  }

  #close(): CircuitChange {
    this.#openUntil = undefined
    this.#restart()
    this.#notify({ to: 'closed', isAgain: false })
    return { to: 'closed' }
  }

  #restart(): void {
    this.#generation += 1
    this.#window.clear()
    this.#probes = 0
    this.#failedProbes = 0
    this.#answeredProbes = 0
  }

  #notify(change: Parameters<CircuitListener>[0]): void {
    for (const listener of this.#listeners) listener(change)
  }
}
