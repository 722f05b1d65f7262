import type { ErrorCode } from '@troupe/schema'

/** So many failures within the window, and a provider is left alone. */
const FAILURES = 5
const WINDOW_MS = 30_000
const OPEN_MS = 30_000

/** What says that a provider is failing as a whole. A limit of rate, a bad key or a bad request is none of it. */
const COUNTED: ReadonlySet<string> = new Set<ErrorCode>([
  'model_overloaded',
  'model_unreachable',
  'model_timeout',
])

/** Codes of calls that their own run stopped. */
const STOPPED: ReadonlySet<string> = new Set<ErrorCode>(['run_cancelled', 'run_interrupted'])

/** Why a call is let through, or how long it is not. */
export type Admission = { readonly isProbe: boolean } | { readonly waitMs: number }

/** What the end of a call has changed. */
export type CircuitChange = 'opened' | 'closed' | undefined

/**
 * The circuit breaker of one provider: after five failures in 30 s it lets nothing through for 30 s, then one call as a probe, and with its
 * success everything again.
 */
export interface Circuit {
  admit(now: number): Admission
  /** A call that was let through is over. */
  settle(call: {
    readonly code: string | undefined
    readonly isProbe: boolean
    readonly now: number
  }): CircuitChange
}

/** A closed circuit. Times are those of a monotonic clock. */
export function createCircuit(): Circuit {
  return new Breaker()
}

/** A class, as every model call of a provider passes it. */
class Breaker implements Circuit {
  /** The last failures, the oldest first. */
  #failures: number[] = []
  #openUntil: number | undefined
  #isProbing = false

  admit(now: number): Admission {
    if (this.#openUntil === undefined) return LET_THROUGH
    if (now < this.#openUntil) return { waitMs: this.#openUntil - now }
    if (this.#isProbing) return { waitMs: PROBE_MS }
    this.#isProbing = true
    return { isProbe: true }
  }

  settle({ code, isProbe, now }: Parameters<Circuit['settle']>[0]): CircuitChange {
    const isFailure = code !== undefined && COUNTED.has(code)
    if (isProbe) return this.#settleProbe({ isFailure, isKnown: !STOPPED.has(code ?? ''), now })
    if (!isFailure) {
      if (code === undefined && this.#failures.length > 0) this.#failures = []
      return undefined
    }
    if (this.#openUntil !== undefined) return undefined
    this.#failures = [...this.#failures.filter((at) => now - at < WINDOW_MS), now]
    return this.#failures.length < FAILURES ? undefined : this.#open(now)
  }

  /** A probe that was stopped by its caller has shown nothing: the next one is let through. */
  #settleProbe(probe: {
    readonly isFailure: boolean
    readonly isKnown: boolean
    readonly now: number
  }): CircuitChange {
    this.#isProbing = false
    if (!probe.isKnown) return undefined
    if (probe.isFailure) return this.#open(probe.now)
    this.#openUntil = undefined
    this.#failures = []
    return 'closed'
  }

  #open(now: number): CircuitChange {
    this.#failures = []
    this.#openUntil = now + OPEN_MS
    return 'opened'
  }
}

const LET_THROUGH: Admission = Object.freeze({ isProbe: false })
/** How long a call waits for a probe before it looks again. */
export const PROBE_MS = 1000

/** How long a provider is left alone, in ms. */
export const CIRCUIT_OPEN_MS: number = OPEN_MS
